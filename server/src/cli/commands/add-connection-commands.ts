import type { Static } from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'
import { createEntraConnection } from '../../sign-in/connections/create-entra-connection.ts'
import { readKeysAt } from '../../sign-in/connections/read-keys-at.ts'
import { algorithmOfKeys, keySetFault, readRequestKeys } from '../../sign-in/connections/read-request-keys.ts'
import { requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { upstreamEgress } from '../../sign-in/egress/upstream-egress.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { fieldsOfGiven, type GivenConnection, givenClient, givenEntra } from '../connections/given-connection.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignFields } from '../table.ts'
import { isAddress, newConnectionGroup } from './connection-group.ts'

export const newConnectionCommands = implement(newConnectionGroup, {
  secondStep: addClient('second_step'),
  application: addClient('application'),

  async entra({ connection, config, now }, { organization, json, cloud = 'global', isEnforcing, ...others }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const asked = { cloud, ...others, mode: modeOf(isEnforcing) }
    const made = await transact(connection.db, (tx) =>
      createEntraConnection(tx, asked, terminalChange(organizationId, now)),
    )
    await give(io, givenEntra(address, made, asked), json)
    await io.error(describeMode(made.id, asked.mode))
    await io.error(
      'Enter the reply URL in the app registration, and the client ID and discovery endpoint in the external method.',
    )
  },
})

type Application = Static<typeof newConnectionGroup.commands.application.args>
type OwnToIt = 'upstreamId' | 'groupIds' | 'isWithoutPkce'
type Client = Omit<Application, OwnToIt> & Partial<Pick<Application, OwnToIt>>

function addClient(kind: 'second_step' | 'application') {
  return async ({ connection, secrets, config, now }: CommandContext, client: Client, io: CommandIo) => {
    const { organization, requestKeys, json, isEnforcing, isWithoutPkce = false, ...others } = client
    const asked = { ...others, kind, mode: modeOf(isEnforcing), requiresPkce: !isWithoutPkce }
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const address = await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    const read = requestKeys === undefined ? undefined : await readKeys(config, requestKeys)
    const keys = read?.requestKeys
    const wanted = { ...asked, ...read }
    const made = await transact(connection.db, (tx) =>
      createConnection(tx, secrets, wanted, terminalChange(organizationId, now)),
    )
    await give(io, givenClient(address, made, { ...asked, algorithm: keys && algorithmOfKeys(keys) }), json)
    if (made.clientSecret !== undefined) await io.error('The secret is not shown again.')
    await io.error(describeMode(made.id, asked.mode))
    return 0
  }
}

const modeOf = (isEnforcing: boolean | undefined): 'enforce' | 'observe' => (isEnforcing ? 'enforce' : 'observe')

const describeMode = (id: string, mode: 'enforce' | 'observe'): string =>
  mode === 'observe'
    ? `It observes: it refuses no device. See who would be refused, and enforce: muster connections enforce ${id}`
    : `It enforces from the first sign-in. See who is refused: muster connections test ${id}`

/** As JSON where a file is named for it. */
async function give(io: CommandIo, given: GivenConnection, json: string | undefined): Promise<void> {
  if (json !== undefined) return io.write(`${JSON.stringify(given, null, 2)}\n`)
  for (const line of alignFields(fieldsOfGiven(given))) await io.line(line)
}

async function readKeys(config: CommandContext['config'], text: string) {
  if (isAddress(text)) {
    return { requestKeys: await readKeysAt(upstreamEgress(config), text), requestKeysUrl: text }
  }
  try {
    const requestKeys = readRequestKeys(JSON.parse(text))
    if (requestKeys) return { requestKeys }
  } catch {}
  throw new CommandError(exitCodes.usage, `--request-keys ${keySetFault}`)
}
