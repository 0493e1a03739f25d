import type { Command } from 'commander'
import { exitCodes } from '../command-error.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/audit-commands.ts')
const files = () => import('../audit-head-file.ts')

type Flags = { organization?: string; output?: string; head?: string }

export function addAudit(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('The audit log: verify that nobody changed it')
  audit
    .command('head')
    .description('Export the current end of the audit log, to keep outside the database')
    .option(...organizationFlag)
    .option('--output <file>', 'a new file; - is standard output', '-')
    .action(async ({ output = '-', ...args }: Flags) => {
      const load = async () => (await commands()).auditHeadCommand
      if (output === '-') return runOnData(shell, load, args)
      let text = ''
      const write = async (piece: string) => {
        text += piece
      }
      await runOnData(shell, load, args, { ...shell.io, write })
      if (shell.exitCode === exitCodes.ok) await (await files()).writeNewFile(output, text)
    })
  audit
    .command('verify')
    .description('Find the first entry that was changed, removed, added or moved; exits with 1 if there is one')
    .option(...organizationFlag)
    .option('--head <file>', 'an earlier export, which also tells whether the log was rewritten or cut')
    .action(async ({ head: file, ...args }: Flags) => {
      const head = file === undefined ? {} : { head: await (await files()).readAuditHead(file) }
      await runOnData(shell, async () => (await commands()).verifyAuditCommand, { ...args, ...head })
    })
}
