import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { MusterPlace, MusterProcess } from '../support/muster-process.ts'
import {
  assertLedgersAgree,
  assertOneFormEach,
  assertSound,
  change,
  enrolledAt,
  historyOf,
  openToldPlace,
  untilTold,
} from './told-place.ts'

type Parts = {
  place: MusterPlace
  key: string
  enrollSecret: string
  /** While devices report and receivers refuse what they see. */
  backUp(): Promise<void>
  /** Resolves to the settings of what is restored, before it serves. */
  restore(): Promise<Record<string, string>>
}

/**
 * Loses an installation and restores it, with receivers that note every byte. What waits in the backup they have seen,
 * and accept after it was taken; a device enrolls that the backup does not know.
 */
export async function outliveRestore(t: TestContext, parts: Parts): Promise<void> {
  const { place, key, enrollSecret } = parts
  const devicesAt = async (server: MusterProcess): Promise<string[]> =>
    (await server.ask('GET', '/devices', { key })).body.data.map(({ id }: { id: string }) => id)
  const server = await place.start(['serve'])
  const served = { server, key }
  const told = await openToldPlace(t, served)
  const client = await enrolledAt(t, server, enrollSecret, 'ONE')
  const [deviceId = ''] = await devicesAt(server)
  const enrolled = async (at: MusterProcess, serial: string) => {
    const newClient = await enrolledAt(t, at, enrollSecret, serial)
    const id = (await devicesAt(at)).find((one) => one !== deviceId)
    return { client: newClient, id: id ?? assert.fail('no device was added') }
  }
  await change(served, client, deviceId, 3)
  await untilTold(served, told)

  told.refuse()
  await change(served, client, deviceId, 1)
  const changing = change(served, client, deviceId, 4)
  await parts.backUp()
  await changing
  told.takeAgain()
  await untilTold(served, told)
  const lost = await enrolled(server, 'TWO')
  await untilTold(served, told)
  await assertSound(place)
  await server.kill()
  assertOneFormEach(told)

  const settings = await parts.restore()
  const renewed = { server: await place.start(['serve'], settings), key }
  await untilTold(renewed, told)
  await assertLedgersAgree(renewed, told)
  assert.deepEqual(await devicesAt(renewed.server), [deviceId])

  const before = (await historyOf(renewed, told)).length
  const added = await enrolled(renewed.server, 'THREE')
  assert.ok(Number(added.id) > Number(lost.id), `${added.id} names no device of before`)
  await change(renewed, added.client, added.id, 2)
  await untilTold(renewed, told)
  assert.ok((await historyOf(renewed, told)).length >= before + 4, 'new events arrive')
  await assertLedgersAgree(renewed, told)
  assertOneFormEach(told)
  await assertSound(place, settings)
  assert.equal(await renewed.server.stop(), 0)
}
