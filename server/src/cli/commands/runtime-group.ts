import { basename } from 'node:path'
import { runtimeSystems } from '@muster/contract/packages.ts'
import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'

const system = Type.Enum([...runtimeSystems])
const registry = Type.String({
  maxLength: 2_000,
  pattern: '^https?://[^?#]+$',
  form: 'an http or https address without ? and #',
})
const sha256 = Type.String({ pattern: '^[0-9a-fA-F]{64}$', form: 'a SHA-256, which is 64 hexadecimal digits' })

export const runtimeGroup = describeGroup('packages', {
  runtimes: command('runtimes', 'List the Node that packages for each system bring', {}),
  addRuntime: preparedCommand(
    'add-runtime <system> [file]',
    'Add the Node that packages for a system bring, and make those packages for every organization',
    {
      system,
      file: flag(
        '[file]',
        'Node for that system, where this server reaches no registry: a .tar.gz of nodejs.org or npm, or node.exe; - reads standard input',
        Type.Optional(Type.String()),
      ),
      sha256: flag('--sha256 <hash>', 'the SHA-256 of the file, as its publisher states it', Type.Optional(sha256)),
      registry: flag('--registry <url>', 'a mirror of npm’s registry', Type.Optional(registry)),
    },
    {
      args: Type.Object({
        system,
        registry: Type.Optional(registry),
        file: Type.Optional(Type.Object({ name: Type.String(), sha256 })),
      }),
      prepare({ system: of, file, sha256: hash, registry: mirror }) {
        if (mirror !== undefined && URL.parse(mirror)?.username) {
          throw new InvalidArgumentError('Give a registry that wants no name and password, or a file.')
        }
        if (file === undefined) {
          if (hash !== undefined) throw new InvalidArgumentError('Give the file that --sha256 is of.')
          return { system: of, ...(mirror !== undefined && { registry: mirror }) }
        }
        if (mirror !== undefined) throw new InvalidArgumentError('Give a file or a registry, not both.')
        if (hash === undefined) throw new InvalidArgumentError('Give the SHA-256 of the file: --sha256 <hash>.')
        return { system: of, file: { name: file === '-' ? 'Standard input' : basename(file), sha256: hash } }
      },
      from: ({ file }) => file,
    },
  ),
  removeRuntime: command(
    'remove-runtime <system>',
    'Remove the Node that was added for a system; packages that bring it wait until one is added again',
    { system },
  ),
})
