export const maxEmailLength = 320

const atom = String.raw`[a-zA-Z0-9.!#$%&'*+/=?^_\u0060{|}~\p{L}\p{M}\p{N}-]+`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`
const address = new RegExp(`^${atom}@${label}(?:\\.${label})+$`, 'u')
// Some letters and marks are invisible, such as the Hangul fillers and variation selectors.
const invisible = /\p{Default_Ignorable_Code_Point}/u

/**
 * Whether mail could go there: a valid e-mail address of HTML (`type=email`) whose domain has a dot. Letters of every script
 * count as they do in RFC 6531.
 */
export const isEmailAddress = (text: string): boolean =>
  text.length <= maxEmailLength && address.test(text) && !invisible.test(text)
