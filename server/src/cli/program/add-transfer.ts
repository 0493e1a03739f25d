import type { Command } from 'commander'
import type { Shell } from './shell.ts'

const standard = '-'

export function addTransfer(program: Command, shell: Shell): void {
  program
    .command('export')
    .description('Write the whole deployment as one stream; its secrets stay sealed with the master key')
    .option('--output <file>', 'a new file, made readable by you only; - is standard output', standard)
    .action(async ({ output }: { output: string }) => {
      const { exportToFile, exportToTerminal } = await import('./transfer-files.ts')
      await (output === standard ? exportToTerminal(shell) : exportToFile(shell, output))
    })
  program
    .command('import')
    .description('Read an export into a new, migrated database with the same master key: all of it or nothing')
    .option('--input <file>', '- is standard input', standard)
    .action(async ({ input }: { input: string }) => {
      const { importFromFile, importFromTerminal } = await import('./transfer-files.ts')
      await (input === standard ? importFromTerminal(shell) : importFromFile(shell, input))
    })
}
