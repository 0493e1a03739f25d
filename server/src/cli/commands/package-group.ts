import Type from 'typebox'
import { command, describeGroup, flag } from '../describe-commands.ts'
import { organization, recordId } from './shared-members.ts'

export const packageGroup = describeGroup('packages', {
  list: command('list', 'List the packages', { organization }),
  build: command('build', 'Build missing packages and update the others, as every start does', { organization }),
  rebuild: command(
    'rebuild [id]',
    'Give one package, or all, a new enrollment secret; the secret of earlier copies is revoked',
    { id: Type.Optional(recordId), organization },
  ),
  download: command(
    'download <id>',
    'Write the file of a package, which contains its enrollment secret; the audit log records it',
    {
      id: recordId,
      to: flag('--to <file>', 'a new file, made readable by you only', Type.String()),
      organization,
    },
    { into: ({ to }) => ({ path: to, encoding: 'base64' }) },
  ),
})
