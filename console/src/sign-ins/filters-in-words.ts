import { signInReasons } from '@muster/contract/sign-in-reasons.ts'
import { sentenceOf } from '../components/read-filters.ts'
import { type SignInFilters, sinceWords, statusWords } from './sign-in-queries.ts'

export const signInFiltersInWords = ({
  q,
  result,
  status,
  since,
  reason,
  connection,
  device,
  person,
}: SignInFilters): string =>
  sentenceOf([
    q && `text contains “${q}”`,
    result && (result === 'Fail' ? 'the sign-in failed' : 'the sign-in succeeded'),
    status && `the device was ${statusWords[status]}`,
    since && `it was within ${sinceWords[since]}`,
    reason && `it failed because: ${signInReasons[reason]}`,
    connection && `the sign-in connection is ${connection}`,
    device && `the device is ${device}`,
    person && `the person is ${person}`,
  ])
