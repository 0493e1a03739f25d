import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminPassword, askAsPage, openConsole, setUpAdmin, untilIdle } from './browser.ts'
import { agePastOf } from './demo-organization.ts'
import { takeDemo } from './take-demo.ts'

/** The pictures of the documentation, from the running product: `npm run screenshots`. */
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const devices = 90
const failRate = 0.1

const strategies: Readonly<Record<string, string>> = {
  'FileVault is on': 'warn_then_block',
  'macOS is up to date': 'warn_then_block',
  'SSH private keys have a passphrase': 'notify_only',
  'Application firewall is on': 'notify_only',
  'BitLocker protects the system drive and fixed drives': 'warn_then_block',
}

type CheckName = { readonly id: string; readonly name: string }

async function decideWhatBlocks(opened: Awaited<ReturnType<typeof openConsole>>): Promise<void> {
  const { page } = opened
  const { body } = await askAsPage(page, 'GET', '/checks?per_page=100')
  for (const { id, name } of body.data as CheckName[]) {
    const strategy = strategies[name]
    if (strategy === undefined) continue
    const wanted = { remediation_strategy: strategy, block_auth_grace_period_days: 3 }
    const { status } = await askAsPage(page, 'PATCH', `/checks/${id}/configurations`, wanted)
    if (status !== 200) throw new Error(`${name}: ${status}`)
  }
  const delivery = { method: 'urn:ietf:rfc:8936' }
  await askAsPage(page, 'POST', '/ssf_streams', { name: 'Zero-trust gateway', delivery })
  const webhook = {
    url: 'https://siem.halden.example/muster',
    events: ['device_trust.status_changed'],
    description: 'SIEM intake',
  }
  await askAsPage(page, 'POST', '/webhook_endpoints', webhook)
  await page.waitForTimeout(3_000)
}

async function takeAll(dataDir: string): Promise<void> {
  const opened = await openConsole(0, { kept: { dataDir } })
  const { page, trial } = opened
  try {
    await page.goto(`${trial.baseUrl}/console/sign-in`)
    await page.getByLabel('E-mail').fill('mira@halden.example')
    await page.locator('input[name=password]').fill(adminPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('enrolled').first().waitFor()
    const take = async (name: string, path: string) => {
      await page.goto(`${trial.baseUrl}/console${path}`)
      await untilIdle(page)
      await page.screenshot({ path: `${folder}${name}.png` })
    }
    const { body } = await askAsPage(page, 'GET', '/views/devices?standing=blocked,will_block&per_page=1')
    const { body: checks } = await askAsPage(page, 'GET', '/checks?per_page=100')
    const check = (checks.data as CheckName[]).find(({ name }) => name === 'macOS is up to date')
    await page.waitForTimeout(3_000)
    await take('dashboard', '/')
    await take('devices', '/devices?view=attention')
    await take('device', `/devices/${body.data[0].id}`)
    await take('blocking-preview', `/checks/${check?.id}/configuration`)
    await page.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'))
    await page.emulateMedia({ colorScheme: 'dark' })
    await take('dashboard-dark', '/')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 844 })
    await take('devices-phone', '/devices?view=attention')
  } finally {
    await opened.stop()
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'muster-screenshots-'))
try {
  await mkdir(folder, { recursive: true })
  const first = await openConsole(devices, { kept: { dataDir, failRate } })
  try {
    await setUpAdmin(first)
    await decideWhatBlocks(first)
  } finally {
    await first.stop()
  }
  await agePastOf(dataDir)
  await takeAll(dataDir)
  await takeDemo(folder)
  console.log(`The pictures are in ${folder}`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
