import { issueSearch } from '@muster/contract/issues.ts'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { listFlags } from '../list-flags.ts'
import { toggle } from './shared-members.ts'

export const issueGroup = describeGroup('issues', {
  list: command('list', 'List the open issues, oldest first', {
    all: flag('--all', 'also those that are resolved', toggle),
    ...listFlags(issueSearch),
  }),
})
