import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { askAsPage, assertFitsPhone, lackOfBrowser as skip, untilIdle, violations } from './browser.ts'
import { at, opened, page, withConsole } from './signed-in.ts'

withConsole(6)

test('a live query is written, asked, and its answers come in', { skip }, async () => {
  opened.trial.simulate('--devices', '3', '--seed', '7', '--distributed-interval', '1s')
  await page.goto(at('/live-queries'))
  await page.getByText('No live queries yet.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'New live query' }).click()
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.getByText('Enter a name for the live query').waitFor()
  await page.getByText('Choose what it runs on').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Uptime <b>')
  await page.getByRole('textbox', { name: 'osquery SQL' }).fill('drop table uptime')
  for (const name of ['All Macs', 'All Windows computers', 'All Linux computers']) await page.getByLabel(name).check()
  await page.getByRole('button', { name: /^Run on \d+ devices/ }).click()
  await page.locator('.mantine-InputWrapper-error').first().waitFor()
  const sql = page.getByRole('textbox', { name: 'osquery SQL' })
  await sql.fill('')
  await sql.pressSequentially('select * from upt')
  await page.getByRole('option', { name: /^uptime/ }).waitFor()
  assert.deepEqual(await violations(page), [])
  await sql.press('Tab')
  assert.equal(await sql.inputValue(), 'select * from uptime')
  await sql.press('Control+z')
  assert.equal(await sql.inputValue(), 'select * from upt', 'what was completed is undone like what is typed')
  await sql.press('Control+Space')
  await page.getByRole('option', { name: /^uptime/ }).click()
  assert.equal(await sql.inputValue(), 'select * from uptime')
  assert.equal(await page.getByRole('listbox').count(), 0)
  await page.getByRole('button', { name: /^Run on \d+ devices/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Uptime <b>' }).waitFor()
  await page
    .getByText(/[1-9]\d* of \d+ devices? answered|[1-9]\d* devices? could not run it/)
    .waitFor({ timeout: 120_000 })
  await untilIdle(page)
  assert.equal(await page.locator('.code-block .sql-keyword').first().textContent(), 'select')
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: /^Errors/ }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  assert.match(await readFile(await (await download).path(), 'utf8'), /^\ufeffdevice_id,device,error/)
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByRole('textbox', { name: 'osquery SQL' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'osquery SQL' }).inputValue(), 'select * from uptime')
})

test('tables are found by their columns, and show what devices have told', { skip }, async () => {
  await page.goto(at('/reporting/tables'))
  await page.getByRole('link', { name: 'device_uptime' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('/')
  await page.keyboard.type('cycle_count')
  await page.waitForURL(/q=cycle_count/)
  await page.getByRole('link', { name: 'device_battery' }).click()
  await page.getByRole('heading', { level: 1, name: 'device_battery' }).waitFor()
  await untilIdle(page)
  assert.deepEqual(await violations(page), [])
  await page.goto(at('/reporting/tables/no_such_table'))
  await page.getByText('There is no table no_such_table.').waitFor()
})

test('a reporting query is refused with its fault, saved, run, drawn, changed and deleted', { skip }, async () => {
  await page.goto(at('/reporting/queries'))
  await page.getByText('No reporting queries yet.').waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('link', { name: 'New query' }).click()
  await page.getByLabel('Name').fill('Devices by state')
  const sql = page.getByRole('textbox', { name: 'SQL over the reporting tables' })
  await sql.fill('delete from registered_devices')
  await page.getByRole('button', { name: 'Save and run' }).click()
  await page.locator('.mantine-InputWrapper-error').first().waitFor()
  assert.deepEqual(await violations(page), [])
  const tables = await askAsPage(page, 'GET', '/reporting/tables?per_page=100')
  const names = tables.body.data.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('device_os_version'), names.join())
  await sql.fill('')
  await sql.pressSequentially('select v.na from device_os_version as v')
  for (let steps = ' from device_os_version as v'.length; steps > 0; steps -= 1) await sql.press('ArrowLeft')
  await sql.press('Control+Space')
  await page.getByRole('option', { name: 'name device_os_version', exact: true }).waitFor()
  await sql.press('Escape')
  assert.equal(await page.getByRole('listbox').count(), 0)
  await sql.fill('select name, length(name)::int as letters from device_os_version group by 1')
  await page.getByRole('button', { name: 'Save and run' }).click()
  await page.getByRole('heading', { level: 1, name: 'Devices by state' }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText(/^Ran .* rows?\./).waitFor({ timeout: 120_000 })
  await page.getByRole('heading', { name: 'Rows' }).waitFor()
  await page.getByRole('heading', { name: 'letters by name' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await sql.fill('select 1 as one')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('dialog', { name: 'Discard changes?' }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await sql.inputValue(), 'select 1 as one', 'nothing that was typed is lost')
  await page.getByRole('button', { name: 'Save and run' }).click()
  await page.getByRole('columnheader', { name: 'one' }).waitFor({ timeout: 120_000 })
  await page.getByRole('button', { name: 'Delete…' }).click()
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Delete the query' }).click()
  await page.getByText('No reporting queries yet.').waitFor()
})

test('these pages fit into 390 px', { skip }, async () => {
  const body = { name: 'Kept', sql: 'select 1 as one' }
  assert.equal((await askAsPage(page, 'POST', '/reporting_queries', body)).status, 200)
  const paths = [
    ...[
      '/live-queries',
      '/live-queries/1',
      '/live-queries/new',
      '/reporting/tables',
      '/reporting/tables/device_battery',
    ],
    ...['/reporting/queries', '/reporting/queries/2', '/reporting/queries/new'],
  ]
  await assertFitsPhone(page, paths.map(at))
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
