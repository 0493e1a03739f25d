import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { readStreamFlags } from '../program/read-stream-flags.ts'
import { organization, shortText, toggle } from './shared-members.ts'

const stream = Type.String({ minLength: 1, maxLength: 40 })
const address = Type.String({ maxLength: 2_048 })

const settings = {
  name: Type.Optional(shortText),
  /** Without it, and without `okta`, the stream is polled. */
  push: Type.Optional(address),
  audience: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
  layout: Type.Optional(Type.Enum(['v1_0', 'draft'])),
  deviceFormat: Type.Optional(Type.Enum(['iss_sub', 'opaque'])),
}

const newStream = {
  name: settings.name,
  organization,
  preset: flag('--preset <receiver>', 'the settings of a known receiver', Type.Optional(Type.Enum(['okta']))),
  oktaUrl: flag(
    '--okta-url <url>',
    'with --preset okta: the address of your Okta organization',
    Type.Optional(Type.String()),
  ),
  push: flag('--push <url>', 'where events are pushed to; without it the stream is polled', settings.push),
  audience: flag(
    '--audience <text>',
    'who its tokens are for (default: the receiver, or the stream)',
    settings.audience,
  ),
  authorizationFile: flag(
    '--authorization-file <file>',
    'holds what is sent as Authorization with every event',
    Type.Optional(Type.String()),
  ),
  layout: flag('--layout <layout>', 'of its tokens', settings.layout),
  deviceFormat: flag('--device-format <format>', 'how tokens name the device', settings.deviceFormat),
}

const standing = {
  stream,
  organization,
  reason: flag(
    '--reason <text>',
    'why, for the receiver and the audit log',
    Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  ),
}

export const streamGroup = describeGroup('streams', {
  add: preparedCommand('add [name]', 'Create a stream: for Okta, pushed to a receiver, or polled by one', newStream, {
    args: Type.Object({
      ...{ organization: organization.schema, ...settings },
      /** The address of an Okta organization; the other settings follow from it. */
      okta: Type.Optional(Type.String({ maxLength: 300 })),
      authorization: Type.Optional(Type.String({ maxLength: 4_096 })),
    }),
    prepare: readStreamFlags,
  }),
  list: command('list', 'List the streams and the health of their receivers', { organization }),
  enable: command(
    'enable <stream>',
    'Let a stream deliver; what waited while it was paused goes first; the receiver is told',
    standing,
  ),
  pause: command(
    'pause <stream>',
    'Keep the events of a stream until it is enabled again; the receiver is told',
    standing,
  ),
  disable: command(
    'disable <stream>',
    'Stop a stream; what happens meanwhile is not told to it; the receiver is told',
    standing,
  ),
  move: preparedCommand(
    'move [stream]',
    'Move a stream, or all with --all, to the current issuer and keys of its organization',
    { stream: Type.Optional(stream), all: flag('--all', 'every stream of the organization', toggle), organization },
    {
      args: Type.Object({ organization: organization.schema, stream: Type.Optional(stream) }),
      prepare({ all = false, ...given }) {
        if ((given.stream === undefined) !== all) throw new InvalidArgumentError('name a stream, or say --all')
        return given
      },
    },
  ),
  delete: command('delete <stream>', 'Delete a stream, with the events that wait for it', { stream, organization }),
  tail: command(
    'tail [stream]',
    'Print the events of all streams, or of one, as they are queued and delivered; ends with Ctrl-C',
    {
      stream: Type.Optional(stream),
      organization,
      last: flag('--last <count>', 'begin with the last so many', Type.Integer({ minimum: 0, maximum: 1_000 }), {
        default: 10,
      }),
      json: flag('--json', 'a line of JSON for each, with the claims of its token', toggle),
    },
  ),
})
