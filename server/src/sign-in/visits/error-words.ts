import type { ErrorCode } from '@muster/contract/errors.ts'
import { messages } from '../../base/errors.ts'

type Words = readonly [title: string, text: string]

const again = 'Start from the app again'

export const brokenWords = [
  'Something broke on our side',
  'The fault is not on your computer. Load this page again in a few seconds: your sign-in is kept.',
] as const

const brokenFormWords = [
  brokenWords[0],
  'The fault is not on your computer. Go back and try again in a few seconds.',
] as const

const unreadable = [again, 'This address, or what was sent with it, cannot be read. Open the app again.'] as const

const wordsOfStatus: Readonly<Record<number, Words>> = {
  404: [again, 'There is nothing to open at this address. Open the app again.'],
  405: [again, 'There is nothing to open at this address. Open the app again.'],
  413: ['This form is too large', 'Go back and send less, or open the app again.'],
  415: ['This form cannot be read', 'It was not sent in the way this page sends it. Open the app again.'],
  429: ['Too many requests', 'They came from your network. Wait a minute, then try again.'],
}

/**
 * What a person reads in place of an error's message, which is for programs and may repeat what was sent. `isForm`: it was not
 * opened, but sent by a form.
 */
export function wordsOfError(code: ErrorCode, status: number, isForm: boolean): Words {
  if (status >= 500) return isForm ? brokenFormWords : brokenWords
  if (status !== 422 || !isForm) return wordsOfStatus[status] ?? unreadable
  if (code === 'invalid') {
    return ['This form was not accepted', 'Something in it is missing or too long. Go back and change it.']
  }
  return ['This cannot be done now', messages[code]]
}
