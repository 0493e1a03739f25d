import { generateToken, isWellFormedToken } from '../../base/secrets/token-format.ts'

const prefix = 'mstr_scim'
export const scimTokenPurpose = 'scim token'

/** `mstr_scim_`, 30 random base62 characters (178 bits), 6 of checksum. */
export const generateScimToken = (): string => generateToken(prefix)

/** True for text that `generateScimToken` could have made. */
export const isWellFormedScimToken = (text: string): boolean => isWellFormedToken(prefix, text)
