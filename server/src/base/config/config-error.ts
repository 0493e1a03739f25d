export type ConfigFault = { name: string; message: string }

/** Every fault of the environment at once. Messages name settings and rules, never values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(`The configuration has faults:\n${faults.map(({ name, message }) => `  ${name}: ${message}`).join('\n')}`)
    this.faults = faults
  }
}
