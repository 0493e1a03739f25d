import type { JWK } from 'jose'

/** What a server has made for simulated sign-ins, and the key that signs their requests (RFC 9101). */
export type SignInSetup = {
  /** `{address of the organization}/signin/oidc`. */
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
  /** RS256, private. */
  requestKey: JWK
  enrollSecret: string
  /** E-mail addresses of people who have no device yet, each for one laptop. */
  people: string[]
}

/** The model that a laptop reports, by which the checks of simulated sign-ins know what to find. */
export const laptopModels = {
  good: 'Simulated',
  blocked: 'Simulated, blocked',
  warned: 'Simulated, warned',
} as const

export type LaptopKind = keyof typeof laptopModels

/** SQL of a check that fails on the laptops of one kind, and on no other machine. */
export const laptopCheckSql = (kind: LaptopKind): string =>
  `select case hardware_model when '${laptopModels[kind]}' then 'FAIL' else 'PASS' end as KOLIDE_CHECK_STATUS, hardware_model from system_info`

export const isLaptopCheck = (sql: string): boolean => sql.includes("'Simulated, ")
