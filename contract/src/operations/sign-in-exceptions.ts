import {
  BypassCodeCreation,
  BypassCodeView,
  BypassCodeViewFilter,
  NewBypassCode,
  PausedSignIn,
  SignInPause,
} from '../sign-in-exceptions.ts'
import { defineOperations, list, session } from './define-operations.ts'

const pause = { requires: 'manage_sign_in', needsFreshProof: true } as const
const bypass = { requires: 'bypass_sign_in', needsFreshProof: true } as const

export const signInExceptionOperations = defineOperations({
  pauseSignInConnection: session({
    method: 'POST',
    path: '/session/sign_in_connections/:id/pause',
    summary: 'Pause a sign-in connection',
    ...pause,
    body: SignInPause,
    answer: PausedSignIn,
  }),
  resumeSignInConnection: session({
    method: 'POST',
    path: '/session/sign_in_connections/:id/resume',
    summary: 'End the pause of a sign-in connection',
    ...pause,
  }),
  listBypassCodes: list({
    path: '/views/bypass_codes',
    permission: 'read',
    summary: 'List the codes that let people in without the check of their device',
    tag: 'Console',
    record: BypassCodeView,
    options: BypassCodeViewFilter,
  }),
  createBypassCode: session({
    method: 'POST',
    path: '/session/bypass_codes',
    summary: 'Give a person a code that lets them in once',
    ...bypass,
    body: BypassCodeCreation,
    answer: NewBypassCode,
  }),
  withdrawBypassCode: session({
    method: 'DELETE',
    path: '/session/bypass_codes/:id',
    summary: 'Withdraw a code that was not used',
    ...bypass,
  }),
})
