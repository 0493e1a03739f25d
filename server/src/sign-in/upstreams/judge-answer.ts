import { withoutJoiners } from '@muster/contract/hidden-characters.ts'
import type { UpstreamClaims, UpstreamPart } from '../../base/db/schema.ts'
import { readVerified } from '../../base/relying-party/read-verified.ts'
import { type Claims, isPlainEmail, isPlainSubject } from '../../base/relying-party/relying-party.ts'
import { minuteMs } from '../../base/time.ts'
import { foldDomain } from './upstream-options.ts'
import type { Upstream } from './upstream-queries.ts'

export type Failure = NonNullable<UpstreamPart['failure']>

/** Who a person is to an upstream. */
export type UpstreamIdentity = { issuer: string; subject: string; address: string; said: UpstreamClaims }

type Pinned = {
  provider: Upstream['provider']
  tenant_claim: string | null
  tenant_value: string | null
  email_domains: readonly string[]
}

type Facts = {
  /** Of the signed ID token, whose signature, issuer, audience, nonce and lifetime were verified. */
  token: Claims & { iss: string; sub: string; iat: number }
  /** What the provider says of the same person beside it. */
  beside: Claims
  asked: UpstreamPart['asked']
  begunAt: string
  now: string
}

/** How far a provider's clock may be from ours. */
const toleranceMs = 2 * minuteMs

/**
 * Whom an upstream's answer names, or why it names nobody. The tenant counts as the signed token says it. An address counts
 * when it is in the pinned domains and is not called unverified; without pinned domains it has to be called verified. Microsoft
 * Entra's `sub` is of the client alone, its `oid` of the person.
 */
export function judgeAnswer(pinned: Pinned, facts: Facts): UpstreamIdentity | { failure: Failure; detail: string } {
  const { token } = facts
  if (!isTimely(facts)) {
    return failed('refused', `iat or auth_time is not of this sign-in: ${token.iat}, ${said(token['auth_time'])}`)
  }
  const { tenant_claim: claim, tenant_value: value } = pinned
  if (claim !== null && token[claim] !== value) return failed('tenant', `${claim} is ${said(token[claim])}`)
  if (pinned.provider === 'entra' && isEntraGuest(token)) {
    return failed('tenant', `A guest: idp is ${said(token['idp'])}, acct is ${said(token['acct'])}`)
  }
  const subject = pinned.provider === 'entra' ? token['oid'] : token.sub
  if (!isPlainSubject(subject)) return failed('refused', `oid is ${said(subject)}`)
  // An address and what is said of it come from one place.
  const { email, email_verified: word } = token['email'] === undefined ? facts.beside : token
  if (email === undefined || email === '') return failed('no_address', 'There is no email in its answer')
  if (!isPlainEmail(email) || email.split('@').length !== 2) return failed('refused', `email is ${said(email)}`)
  const domains = pinned.email_domains
  const isPinned = domains.includes(foldDomain(email.slice(email.indexOf('@') + 1)))
  if (domains.length > 0 && !isPinned) return failed('domain', `email is ${said(email)}`)
  const isVerified = readVerified(word) ?? isPinned
  if (!isVerified) return failed('unverified', `email is ${said(email)}, email_verified is ${said(word)}`)
  return { issuer: token.iss, subject, address: email, said: passedOn({ ...facts.beside, ...token, email }) }
}

const failed = (failure: Failure, detail: string) => ({ failure, detail: `${detail.replace(/[^\P{C}]/gu, ' ')}.` })

/** A claim for an administrator to read. */
const said = (claim: unknown): string => (claim === undefined ? 'missing' : JSON.stringify(claim).slice(0, 100))

/** Whether the account is another tenant's, whose administrator decides on its address. */
function isEntraGuest({ iss, idp = iss, acct }: Facts['token']): boolean {
  const [tenant] = /[0-9a-f-]{36}/i.exec(iss) ?? []
  const isHome = idp === iss || idp === `https://sts.windows.net/${tenant}/`
  return !isHome || acct === 1 || acct === '1'
}

/** Whether the token was made just now, and the person has proved themselves as lately as the application asked. */
function isTimely({ token, asked, begunAt, now }: Facts): boolean {
  const nowMs = Date.parse(now)
  const begunMs = Date.parse(begunAt)
  if (Math.abs(token.iat * 1000 - nowMs) > 5 * toleranceMs) return false
  const at = token['auth_time']
  if (at !== undefined && (typeof at !== 'number' || !Number.isFinite(at) || at * 1000 > nowMs + toleranceMs))
    return false
  const isFresh = asked.prompt?.split(' ').includes('login') ?? false
  if (asked.maxAge === undefined && !(isFresh && at !== undefined)) return true
  const oldestMs = begunMs - (isFresh ? 0 : (asked.maxAge ?? 0) * 1000) - toleranceMs
  return typeof at === 'number' && at * 1000 >= oldestMs
}

const maxMethods = 20
const namesOfPeople = ['name', 'given_name', 'family_name']

/** What the application hears of the upstream's words: of these claims, what is a plain text of a bounded length. */
function passedOn(claims: Claims): UpstreamClaims {
  const { amr, auth_time: authTime } = claims
  const text = (name: string, most: number): string | undefined => {
    const value = claims[name]
    if (typeof value !== 'string' || value.length > most) return undefined
    // Names of people have joiners in Persian, and emoji do.
    return /^[^\p{C}]+$/u.test(namesOfPeople.includes(name) ? withoutJoiners(value) : value) ? value : undefined
  }
  const [acr, email] = [text('acr', 200), text('email', 254)]
  const [name, preferredUsername] = [text('name', 200), text('preferred_username', 254)]
  const [givenName, familyName] = [text('given_name', 200), text('family_name', 200)]
  const methods = Array.isArray(amr)
    ? amr.filter((one) => typeof one === 'string' && /^[\x21-\x7e]{1,50}$/.test(one))
    : []
  return {
    // What a device is said to be, Muster says alone.
    ...(acr !== undefined && !acr.toLowerCase().startsWith('urn:muster:') && { acr }),
    ...(methods.length > 0 && { amr: methods.slice(0, maxMethods) }),
    ...(typeof authTime === 'number' && { authTime }),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(preferredUsername !== undefined && { preferredUsername }),
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
  }
}
