import { readChallenge } from '@muster/agent/companion/read-challenge.ts'
import { nodeKeyPurpose } from '../../src/agents/protocol/node-key.ts'
import type { TestApp } from './app.ts'
import { companionClient } from './companion-client.ts'
import type { Door, Side } from './issued-tokens.ts'
import { osqueryClient } from './osquery-client.ts'

let machines = 0
/** A machine that nobody knows. */
function newMachine() {
  machines += 1
  const digits = String(machines).padStart(12, '0')
  return { uuid: `4C4C4544-0042-3510-8056-${digits}`, serial: `PF${digits}` }
}

/** What machines bring a token to. */
export function doorsOfMachines(app: TestApp, address: () => string) {
  const isNodeOf = async ({ party: { organizationId } }: Side, nodeKey: string) => {
    const hash = app.secrets.lookupHash(nodeKeyPurpose, nodeKey)
    const keys = app.db.selectFrom('node_key_lookups').select('organization_id').where('lookup_hash', '=', hash)
    return (await keys.executeTakeFirst())?.organization_id === organizationId
  }
  const isCompanionOf = async ({ party: { organizationId } }: Side, kid: string) => {
    const keys = app.db.selectFrom('companion_keys').select('organization_id').where('kid', '=', kid)
    return (await keys.executeTakeFirst())?.organization_id === organizationId
  }
  const asNode = async <Result>(work: (client: ReturnType<typeof osqueryClient>) => Promise<Result>) => {
    const client = osqueryClient(address())
    const result = await work(client)
    client.close()
    return result
  }
  return {
    'the enrollment of nodes': {
      takes: ['enrollment secret'],
      isOpened: (side, text) =>
        asNode(async (client) => {
          const { accepted } = await client.enroll(text, newMachine())
          return accepted && (await isNodeOf(side, client.nodeKey))
        }),
    },
    'a node': {
      takes: ['node key'],
      isOpened: (side, text) =>
        asNode(async (client) => {
          client.nodeKey = text
          return (await client.config()).accepted && (await isNodeOf(side, text))
        }),
    },
    'the enrollment of companions': {
      takes: ['enrollment secret'],
      isOpened: async (side, text) => {
        const { uuid, serial } = newMachine()
        const companion = await companionClient(address())
        const { status } = await companion.enroll(text, { hardware_uuid: uuid, hardware_serial: serial })
        return status === 200 && (await isCompanionOf(side, companion.kid))
      },
    },
    'the contact of a companion': {
      takes: ['companion request'],
      isOpened: async ({ party, issued }, text) =>
        (await party.companion.post('check_in', issued.contactBody, text)).status === 200,
    },
    'an agent that is asked for a proof': {
      takes: ['challenge'],
      isOpened: async ({ issued }, text) => 'challenge' in (await readChallenge(text, issued.trust)),
    },
  } satisfies Record<string, Door>
}
