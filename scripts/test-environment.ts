/** Settings of the tests themselves, taken from whoever starts the run. */
const handedOn = /^MUSTER_(TEST_|FUZZ_|CHAOS_|HISTORIES$)/

/**
 * The environment for test processes: a developer's own MUSTER_… settings and DATABASE_URL would reach the code under
 * test, and with them a real database.
 */
export function testEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const stray = (name: string) => name === 'DATABASE_URL' || (name.startsWith('MUSTER_') && !handedOn.test(name))
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !stray(name))), NODE_ENV: 'test' }
}
