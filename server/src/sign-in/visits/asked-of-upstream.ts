import type { UpstreamPart } from '../../base/db/schema.ts'

const prompts = ['login', 'select_account', 'consent']

/** What an application's request asks of the upstream: `prompt`, `max_age` in seconds and `login_hint` are passed on. */
export function askedOf(params: Readonly<Record<string, unknown>>): UpstreamPart['asked'] {
  const { prompt, max_age: maxAge, login_hint: hint } = params
  const wanted = prompts
    .filter((name) =>
      String(prompt ?? '')
        .split(' ')
        .includes(name),
    )
    .join(' ')
  const seconds = maxAge === undefined || maxAge === '' ? Number.NaN : Number(maxAge)
  return {
    ...(wanted !== '' && { prompt: wanted }),
    ...(Number.isSafeInteger(seconds) && seconds >= 0 && { maxAge: seconds }),
    ...(typeof hint === 'string' && hint !== '' && { loginHint: hint.slice(0, 320) }),
  }
}
