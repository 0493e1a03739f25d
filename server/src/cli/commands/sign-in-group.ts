import { authLogSearch } from '@muster/contract/auth-logs.ts'
import { command, describeGroup } from '../describe-commands.ts'
import { listFlags } from '../list-flags.ts'

export const signInGroup = describeGroup('sign-ins', {
  list: command('list', 'List the attempts of people to sign in with a device, newest first', listFlags(authLogSearch)),
})
