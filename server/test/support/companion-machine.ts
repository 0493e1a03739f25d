import assert from 'node:assert/strict'
import type { AgentServer, testAgents } from './agent-server.ts'
import { type CompanionKeys, companionClient, companionMachine } from './companion-client.ts'
import { reportLinkFiles } from './link-report.ts'
import { makeIn } from './make.ts'
import type { osqueryClient } from './osquery-client.ts'

const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }

/** Machines with an osquery node and a companion, at the agents of a test. */
export function companionMachines(agents: ReturnType<typeof testAgents>) {
  const make = makeIn(agents.database)

  const newCompanion = (server: AgentServer = agents.server, copied?: CompanionKeys) =>
    companionClient(server.origin, copied)

  /** A device with an osquery node, and the companion of the same machine, not linked yet. */
  async function machineWithBoth() {
    const { id: organizationId } = await make.organization()
    const check = await make.check(organizationId, { sql_template: 'select 1 as number' })
    const { client, deviceId } = await agents.enrolled(organizationId, machine)
    const companion = await newCompanion()
    const secret = await agents.enrollmentSecret(organizationId)
    const { body } = await companion.enroll(secret)
    return { organizationId, client, deviceId, check, companion, secret, enrolled: body }
  }

  async function reportLink(client: ReturnType<typeof osqueryClient>, name: string | undefined): Promise<void> {
    assert.ok(await reportLinkFiles(client, [name ?? '']))
  }

  /** The same, linked by the file that the node reports. */
  async function linkedMachine() {
    const both = await machineWithBoth()
    await reportLink(both.client, both.enrolled.link?.name)
    return both
  }

  return { newCompanion, machineWithBoth, reportLink, linkedMachine }
}
