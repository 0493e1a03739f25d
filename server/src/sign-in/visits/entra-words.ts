import type { EntraRefusal } from '../entra/admit-request.ts'
import type { AnswerView } from '../page/draw-answer.ts'

export type EntraWords = Pick<AnswerView, 'title' | 'text' | 'button' | 'isAutomatic'>

const passing = { button: 'Continue', isAutomatic: true }
const read = { button: 'Sign in another way', isAutomatic: false }

export const passedWords: EntraWords = { title: 'You’re in', text: 'Your app is opening.', ...passing }
export const deniedWords: EntraWords = {
  title: 'Back to Microsoft',
  text: 'Microsoft offers you another way, if your organization allows one.',
  ...passing,
}
export const faultWords: EntraWords = {
  title: 'Something broke on our side',
  text: 'The fault is not on your computer. Microsoft offers you another way, or lets you try again.',
  ...passing,
}

/** Why a request begins no sign-in, where Entra is known to have sent it. */
export const refusedWords: Readonly<Record<Exclude<EntraRefusal, 'not_ours' | 'invalid_hint'>, EntraWords>> = {
  disabled: { title: 'Muster is turned off here', text: 'IT has turned this way to sign in off.', ...read },
  guest: {
    title: 'Guests can’t sign in with Muster',
    text: 'Your account belongs to another organization, so your computer is not known here. Choose another way to sign in, or ask IT for an account of theirs.',
    ...read,
  },
  no_answer_counts: {
    title: 'Another kind of proof is needed',
    text: 'You signed in with something that you have, for example a passkey. Your computer is something that you have too, so Microsoft does not count it. Sign in with your password first, or choose another way.',
    ...read,
  },
  no_claims: {
    title: 'This sign-in cannot start',
    text: 'Microsoft’s request does not say which kinds of proof it accepts: its parameter “claims” is missing, or names no acr that can be read. Choose another way to sign in, or show this page to IT.',
    ...read,
  },
  keys_unavailable: {
    title: 'Muster can’t reach Microsoft',
    text: 'Muster asks Microsoft who you are, and Microsoft does not answer. Wait a minute and open the app again, or choose another way to sign in. If that brings you back here, ask IT.',
    ...read,
  },
}

/** The same where it is not known: then nothing is sent back. */
export const unknownWords = {
  not_ours: {
    title: 'This sign-in cannot start',
    text: 'Microsoft Entra and Muster are not set up for each other. IT has to compare the client ID and the addresses.',
  },
  invalid_hint: {
    title: 'Start from the app again',
    text: 'What says who you are is not valid here, or too old. Open the app again. If that brings you back here, ask IT.',
  },
} as const
