import assert from 'node:assert/strict'
import { sharedProcess } from '../../scripts/test-run/shared-process.ts'
import { adminPassword, askAsPage, type ConsoleInBrowser, openConsole, setUpAdmin } from './browser.ts'
import { copyTrialData, newTrialData, removeTrialData, type TrialData } from './trial-data.ts'
import type { TrialParts } from './trial-server.ts'

/** Trials that have stopped, by how many devices have answered; files that share a process work on copies of them. */
const models = new Map<number, Promise<TrialData>>()

/** To simulate devices and to set up an administrator takes three times as long as to copy what comes of it. */
async function makeModel(devices: number): Promise<TrialData> {
  const data = await newTrialData()
  sharedProcess.closeAtEnd.push(() => removeTrialData(data))
  const opened = await openConsole(devices, { kept: data })
  try {
    await setUpAdmin(opened)
    await askAsPage(opened.page, 'POST', '/session/sign_out')
  } finally {
    await opened.stop()
  }
  return data
}

function modelOf(devices: number): Promise<TrialData> {
  const model = models.get(devices) ?? makeModel(devices)
  models.set(devices, model)
  // The next file that wants one tries again.
  model.catch(() => models.delete(devices))
  return model
}

/** A server with simulated devices, and its dashboard before Mira, who has full access and has just signed in. */
export async function openSignedIn(devices: number, settings?: TrialParts['settings']): Promise<ConsoleInBrowser> {
  const given = settings && { settings }
  if (!sharedProcess.isShared) {
    const opened = await openConsole(devices, given)
    await setUpAdmin(opened)
    return opened
  }
  const data = await copyTrialData(await modelOf(devices))
  const opened = await openConsole(0, { kept: data, ...given })
  const { page, trial } = opened
  const session = `${trial.baseUrl}/console/api/session/sign_in`
  const who = { data: { email: 'mira@halden.example', password: adminPassword }, headers: { origin: trial.baseUrl } }
  assert.ok((await page.request.post(session, who)).ok())
  await page.goto(`${trial.baseUrl}/console`)
  await page.getByText('enrolled').first().waitFor()
  const stop = async () => {
    await opened.stop()
    await removeTrialData(data)
  }
  return { ...opened, stop }
}
