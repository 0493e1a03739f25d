import type { Command } from 'commander'
import { exitCodes } from '../command-error.ts'
import { describeFinding } from '../doctor/finding.ts'
import type { Shell } from './shell.ts'

export function addDoctor(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description('Check configuration, data folder, TLS and database; exits with 1 if something is wrong')
    .option('--json', 'for programs')
    .action(async ({ json }: { json?: boolean }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      const findings = await runDoctor(shell.env, shell.io, () => Date.now())
      const isWell = findings.every(({ state }) => state !== 'failed')
      if (json) await shell.io.line(JSON.stringify({ ok: isWell, findings }, null, 2))
      else for (const finding of findings) await shell.io.line(describeFinding(finding))
      shell.exitCode = isWell ? exitCodes.ok : exitCodes.failure
    })
}
