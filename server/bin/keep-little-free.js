/**
 * How glibc is to deal with memory that is free again: one pool for all threads, and back to the system at once. It reads this
 * only when a process begins.
 */
const allocation = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TOP_PAD_: '0',
}

/**
 * Begins this process anew, with the same process number, unless it has begun so already. V8 takes 600 MB for a moment when
 * it compiles the embedded database, and glibc keeps a third of what is freed afterwards.
 */
export function keepLittleFree() {
  if (process.platform !== 'linux' || process.execve === undefined || process.env['MALLOC_ARENA_MAX'] !== undefined)
    return
  const { argv, env, execArgv, execPath } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...allocation })
}
