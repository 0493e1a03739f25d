import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osqueryClient } from '../../server/test/support/osquery-client.ts'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { opened, page, visit, withConsole } from './signed-in.ts'

const clients: ReturnType<typeof osqueryClient>[] = []
const uuid = (digit: number) => `AAAAAAAA-0000-4000-8000-00000000000${digit}`

withConsole(12, {
  setUp: enrollMachines,
  tearDown: async () => {
    for (const client of clients) client.close()
  },
})

/** One machine with a new board, which has two records, and one that nothing links to it. */
async function enrollMachines(): Promise<void> {
  const secret = (await opened.trial.run('enrollment-secrets', 'create', 'Laptops')).trim().split(/\s+/).at(-1) ?? ''
  for (const machine of [
    { hostname: 'ada-before', serial: 'C02XG2JHJG5H', uuid: uuid(1) },
    { hostname: 'ada-after', serial: 'C02XG2JHJG5H', uuid: uuid(2) },
    { hostname: 'grace-laptop', serial: 'C02XG2JHJG6J', uuid: uuid(3) },
  ]) {
    const client = osqueryClient(opened.trial.baseUrl)
    clients.push(client)
    await client.enroll(secret, machine)
    await client.config()
  }
}

const dialog = () => page.getByRole('dialog')
const pathOf = () => new URL(page.url()).pathname.replace('/console', '')

test('the page of a device shows its twin, says what a merge does, and merges', { skip }, async () => {
  await visit('/devices')
  await page.getByRole('link', { name: 'ada-before' }).click()
  const note = page.getByRole('region', { name: 'Same machine' })
  await note.getByText('has the same serial').waitFor()
  const address = pathOf()
  assert.deepEqual(await violations(page), [])
  await assertFitsPhone(page)
  await note.getByRole('button', { name: 'Merge…' }).click()
  await dialog().getByText('Merge ada-after into ada-before?').waitFor()
  await dialog().getByText('You cannot undo a merge').waitFor()
  assert.deepEqual(await violations(page), [])
  await dialog().getByRole('button', { name: 'Keep ada-after instead' }).click()
  await dialog().getByText('Merge ada-before into ada-after?').waitFor()
  await dialog().getByRole('button', { name: 'Keep ada-before instead' }).click()
  await dialog().getByText('Merge ada-after into ada-before?').waitFor()
  await dialog().getByRole('button', { name: 'Merge the devices' }).click()
  await note.waitFor({ state: 'detached' })
  const { body } = await askAsPage(page, 'GET', '/devices?query=serial:C02XG2JHJG5H')
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => `/devices/${id}`),
    [address],
  )
  assert.ok((await clients[1]?.config())?.accepted, 'the agent that spoke last continues')
})

test('another device is found by its name, and two live machines need a word', { skip }, async () => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Merge…' }).click()
  await dialog().getByLabel('The other record of this machine').fill('grace')
  await dialog().getByRole('button', { name: 'grace-laptop' }).click()
  await dialog().getByText('They look like two machines').waitFor()
  assert.deepEqual(await violations(page), [])
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await dialog().waitFor({ state: 'detached' })
})
