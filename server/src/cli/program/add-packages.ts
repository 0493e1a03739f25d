import type { Command } from 'commander'
import { runIntoFile } from './run-into-file.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/package-commands.ts')

export function addPackages(program: Command, shell: Shell): void {
  const packages = program.command('packages').description('Installation packages, with which devices enroll')
  packages
    .command('list')
    .description('List the packages')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listPackagesCommand, flags))
  packages
    .command('build')
    .description('Build missing packages and update the others, as every start does')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).buildPackagesCommand, flags))
  packages
    .command('rebuild [id]')
    .description('Give one package, or all, a new enrollment secret; the secret of earlier copies is revoked')
    .option(...organizationFlag)
    .action((id, flags) =>
      runOnData(shell, async () => (await commands()).rebuildPackagesCommand, { ...flags, ...(id && { id }) }),
    )
  packages
    .command('download <id>')
    .description('Write the file of a package, which contains its enrollment secret; the audit log records it')
    .requiredOption('--to <file>', 'a new file, made readable by you only')
    .option(...organizationFlag)
    .action(async (id, { to, ...flags }) => {
      const load = async () => (await commands()).downloadPackageCommand
      await runIntoFile(shell, { path: to, encoding: 'base64' }, load, { ...flags, id })
    })
}
