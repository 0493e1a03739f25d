import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationName, operations } from '@muster/contract/operations/all-operations.ts'
import type { Route } from 'playwright-core'
import { lackOfBrowser as skip, untilIdle } from '../browser.ts'
import { addressOf, makeRecords, type Records, settings } from '../every-address.ts'
import { fieldsOfBody } from '../fields-of-body.ts'
import { opened, page, visit, withConsole } from '../signed-in.ts'

/** One form: where it is, what it sends, and how it comes to send it. */
export type Form = {
  readonly what: string
  /** The file of `console/src` that it is written in. */
  readonly of: string
  /** Of its page, with the records of `makeRecords` where it has parameters. */
  readonly path: string
  readonly operation: OperationName
  readonly send: () => Promise<void>
  /** What is read there, as it would be where the form can be sent. */
  readonly reads?: Partial<Record<OperationName, (answer: Answer) => object>>
}

// biome-ignore lint/suspicious/noExplicitAny: of any operation
type Answer = any

type Asked = { readonly method: string; readonly path: string; readonly body?: unknown }

export const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const fill = (label: string | RegExp, text: string) => page.getByLabel(label).first().fill(text)
export const dialog = () => page.getByRole('dialog')

/** Asks for something at the top of a page, in the menu if it has no button. */
export async function choose(verb: string): Promise<void> {
  const menu = page.getByRole('button', { name: /^More (for this|actions)/ })
  await button(verb).or(menu).first().waitFor()
  if ((await button(verb).count()) === 0) {
    await menu.first().click()
    await page.getByRole('menuitem', { name: verb }).click()
  } else await button(verb).first().click()
}

/** Types what a dialog wants to be typed before it does much. */
export async function typeNumber(): Promise<void> {
  const label = await dialog()
    .getByText(/^Type \d+ to continue/)
    .textContent()
  await dialog()
    .getByLabel(/^Type \d+ to continue/)
    .fill((label ?? '').replace(/\D/g, ''))
}

/** As the server names it, in a message that nothing else on the page says. */
const messageOf = (field: string): string => `must not be [${field}] of the tests`

const addressedBy = (operation: OperationName) => {
  const { method, path } = operations[operation] as Asked
  return { method, pattern: new RegExp(`/console/api${path.replace(/:\w+/g, '[^/?]+')}(\\?.*)?$`) }
}

async function refuse(route: Route, method: string, fields: readonly string[]): Promise<void> {
  if (route.request().method() !== method) return route.fallback()
  const errors = fields.map((field) => ({ field, message: messageOf(field) }))
  await route.fulfill({ status: 422, json: { error: 'invalid', message: 'Some fields are not valid.', errors } })
}

async function read(route: Route, method: string, change: (answer: Answer) => object): Promise<void> {
  if (route.request().method() !== method) return route.fallback()
  const response = await route.fetch()
  const answer = response.ok() ? await response.json() : {}
  await route.fulfill({ status: 200, json: change(answer) })
}

async function prepare({ operation, reads = {} }: Form, fields: readonly string[]): Promise<void> {
  for (const [name, change] of Object.entries(reads)) {
    const { method, pattern } = addressedBy(name as OperationName)
    await page.route(pattern, (route) => read(route, method, change))
  }
  const { method, pattern } = addressedBy(operation)
  await page.route(pattern, (route) => refuse(route, method, fields))
}

/** Sends each form, and looks for all that the server says about a field that the operation knows, and about one that it does not. */
export function walkForms(forms: readonly Form[]): void {
  let records: Records = new Map()
  withConsole(12, {
    settings,
    async setUp() {
      records = await makeRecords(opened)
    },
  })
  for (const form of forms) {
    test(`every field of which the server says something is named: ${form.what}`, { skip }, async () => {
      const fields = [...fieldsOfBody(operations[form.operation] as Asked), 'of_no_form']
      await prepare(form, fields)
      try {
        await visit(addressOf(form.path, records))
        await untilIdle(page)
        await form.send()
        await page.getByText(messageOf('of_no_form')).first().waitFor()
        // Styles begin a message with a capital.
        // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
        const shown = (await page.locator('body').innerText()).replace(/\s+/g, ' ').toLowerCase()
        const silent = fields.filter((field) => !shown.includes(messageOf(field).toLowerCase()))
        assert.deepEqual(silent, [])
      } finally {
        await page.unrouteAll({ behavior: 'wait' })
      }
    })
  }
}
