import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminPassword, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { assertFitsPhone, violations } from './look.ts'
import { at, opened, page, visit, withConsole } from './signed-in.ts'

withConsole(40)

const notice = () => page.locator('.left-out')
const told = async () => ((await notice().textContent()) ?? '').replace(/Dismiss$/, '')
const search = () => new URL(page.url()).search

test('what an address says that is not known is left out, and said until the page is left', { skip }, async () => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(at('/devices?state=blokced,good&sort=name&colour=red'))
  await notice().waitFor()
  assert.equal(await told(), 'state=blokced and colour=red are unknown and were ignored.')
  assert.equal(search(), '?state=good&sort=name', 'the address is what is shown')
  assert.equal(asked.filter((url) => url.includes('blokced')).length, 1, 'nobody but the page was asked for it')
  assert.deepEqual(await violations(page), [])
  await page.getByRole('columnheader', { name: 'Device' }).getByRole('button').click()
  await page.waitForURL(/sort=-name/)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[data-row-link], .notice').first().waitFor()
  assert.equal(await notice().count(), 0)
})

test('each list leaves out what it does not know, and never fails for it', { skip }, async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['/sign-ins?result=Bogus&since=9d', 'result=Bogus and since=9d are'],
    ['/audit?actor=Nobody&about=planet:7', 'actor=Nobody and about=planet:7 are'],
    ['/checks?platform=amiga', 'platform=amiga is'],
    ['/issues?state=resolved&sort=blocks_at', 'sort=blocks_at is'],
    ['/people?devices=many', 'devices=many is'],
    ['/settings/admins?factor=maybe', 'factor=maybe is'],
    ['/account/preferences?tab=2', 'tab=2 is'],
  ]
  for (const [address, words] of wrong) {
    await page.goto(at(address))
    await notice().waitFor()
    assert.equal(await told(), `${words} unknown and ${words.endsWith('are') ? 'were' : 'was'} ignored.`, address)
    assert.equal(await page.getByRole('alert').count(), 0, address)
  }
  await page.goto(at('/devices?after=neither&from=50&sort=name'))
  await notice().waitFor()
  assert.match(await told(), /^The position in the address is unknown/)
  await page.getByText('1–40 of 40').waitFor()
  assert.equal(search(), '?sort=name')
  await notice().getByRole('button', { name: 'Dismiss' }).click()
  assert.equal(await notice().count(), 0)
})

test('text that hides or continues for ever is shown as what it is, and fits a phone', { skip }, async () => {
  const hostile = `/devices?state=%E2%80%AEdekcolb%00<img src=x onerror=alert(1)>${'x'.repeat(3_000)}`
  await page.goto(at(hostile))
  await notice().waitFor()
  assert.match(await told(), /^state=\\u202edekcolb\\u0000<img src=x onerror=alert\(1\)>x+… is unknown/)
  assert.ok((await told()).length < 110)
  await assertFitsPhone(page)
})

test('addresses that the console makes are known to it, also when they are opened again', { skip }, async () => {
  const opens = async () => {
    await untilIdle(page)
    const made = page.url()
    await page.goto('about:blank')
    await page.goto(made)
    await page.locator('[data-row-link], .notice').first().waitFor()
    assert.equal(
      await notice().count(),
      0,
      `${made}: ${await notice()
        .textContent({ timeout: 100 })
        .catch(() => '')}`,
    )
    assert.equal(page.url(), made)
  }
  await visit('/devices?per=25')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL(/after=/)
  await opens()
  await page.locator('.table-foot select').selectOption('50')
  await page.waitForURL((url) => url.searchParams.get('per') !== '25')
  await opens()
  for (const [path, field] of [
    ['/devices', 'State'],
    ['/devices', 'Platform'],
    ['/devices', 'Owner'],
    ['/checks', 'State'],
    ['/checks', 'Strategy'],
    ['/checks', 'Kind'],
    ['/people', 'Devices'],
    ['/audit', 'Within'],
    ['/audit', 'By'],
  ] as const) {
    await visit(path)
    await untilIdle(page)
    await page.getByRole('button', { name: `Filter by ${field}` }).click()
    await page.getByRole('menuitemcheckbox').last().click()
    await page.waitForURL(/\?/)
    await opens()
  }
  await visit('/issues')
  await page.getByRole('columnheader', { name: 'State' }).getByRole('button').click()
  await page.waitForURL(/sort=blocks_at/)
  await opens()
})

test('who signs in on the way is told afterwards', { skip }, async () => {
  await page.context().clearCookies()
  await page.goto(at('/devices?state=blokced'))
  await page.getByLabel('E-mail').fill('mira@halden.example')
  await page.locator('input[name=password]').fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await notice().waitFor()
  assert.equal(await told(), 'state=blokced is unknown and was ignored.')
})

test('the policy of the pages was kept, and nothing failed on the way', { skip }, () => {
  assert.deepEqual(opened?.faults, [])
})
