/** RFC 7644 §3.12, Table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'

/** A refusal in the terms of the protocol. `message` is public. */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: number
  readonly scimType: ScimType | undefined

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }
}

export function refuse(status: number, scimType: ScimType | undefined, detail: string): never {
  throw new ScimError(status, scimType, detail)
}
