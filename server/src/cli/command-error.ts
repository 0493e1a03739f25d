/** What scripts may rely on. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  configuration: 3,
  database: 4,
  notFound: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command with a message for the person at the terminal and no stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
