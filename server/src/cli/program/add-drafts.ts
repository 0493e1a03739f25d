import type { Command } from 'commander'
import { readDraftFlags } from './read-draft-flags.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/draft-commands.ts')

export function addDrafts(program: Command, shell: Shell): void {
  const drafts = program.command('drafts').description('Drafts of custom checks, and publishing them')
  withFields(drafts.command('create'))
    .description('Create a draft and print its identifier')
    .option('--from-check <id>', 'begin as this check of your own, and change it when published')
    .option(...organizationFlag)
    .action(async ({ organization, fromCheck, ...flags }) => {
      const input = await readDraftFlags(flags)
      await runOnData(shell, async () => (await commands()).createDraftCommand, { organization, fromCheck, input })
    })
  withFields(drafts.command('edit <id>'))
    .description('Change the given fields')
    .option(...organizationFlag)
    .action(async (id, { organization, ...flags }) => {
      const input = await readDraftFlags(flags)
      await runOnData(shell, async () => (await commands()).editDraftCommand, { organization, id, input })
    })
  drafts
    .command('list')
    .description('List drafts')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listDraftsCommand, flags))
  drafts
    .command('show <id>')
    .description('Show what a draft still needs')
    .option('--json', 'the draft itself, in the form that --file reads')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).showDraftCommand, { ...flags, id }))
  drafts
    .command('run <id>')
    .description('Run the SQL on devices now, as a live query, and show their answers as they come')
    .requiredOption('--device <ids...>', 'run it on these devices')
    .option('--wait <seconds>', 'how long to wait for them', '60')
    .option(...organizationFlag)
    .action((id, { organization, device: devices, wait }) =>
      runOnData(shell, async () => (await commands()).runDraftCommand, {
        ...{ organization, id, devices, wait: Number(wait) },
      }),
    )
  drafts
    .command('publish <id>')
    .description('Publish a draft as a check, or update its check, and print the identifier of the check')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).publishDraftCommand, { ...flags, id }))
  drafts
    .command('delete <id>')
    .description('Delete a draft; the check that was published from it stays')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).deleteDraftCommand, { ...flags, id }))
}

const withFields = (command: Command): Command =>
  command
    .option('-f, --file <path>', 'JSON with any of the fields; see docs/custom-checks.md')
    .option('--name <text>', 'what the check is called')
    .option('--slug <text>', 'its short name')
    .option('--description <text>', 'what it looks at')
    .option('--type <osquery or external>', 'who runs it')
    .option('--target <devices or people>', 'what its results are about')
    .option('--platform <platforms...>', 'which devices it runs on: darwin, windows, linux')
    .option('--interval-minutes <number>', 'how often it runs')
    .option('--sql-file <path>', 'the query')
    .option('--primary-key-column <name>', 'the column that tells the issues of a device apart')
    .option('--no-primary-key', 'a device has one issue at most')
    .option('--issue-title <text>', 'what is wrong when it fails')
    .option('--rationale-file <path>', 'why it matters, in Markdown')
    .option('--fix-instructions-file <path>', 'what the owner of a device can do, in Markdown')
    .option('--privacy-info <text>', 'what it reads about people')
