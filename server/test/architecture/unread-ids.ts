import { isServerSource, isTest } from './file-role.ts'
import { type SourceFile, withoutComments } from './source-file.ts'

/** Whose identifiers are no record identifiers, and who looks at their form. */
const ofAnotherForm: Readonly<Record<string, string>> = {
  'server/src/access/scim/': 'answered in the form of RFC 7644: isUserId',
  'server/src/sign-in/visits/': 'of 24 hexadecimal digits: visit-routes.ts',
}

/** Files that add a route with an identifier in its address by hand, without the check that PostgreSQL could hold it. */
export function unreadIds({ path, code: text }: SourceFile): string[] {
  if (!isServerSource(path) || isTest(path) || Object.keys(ofAnotherForm).some((home) => path.startsWith(home)))
    return []
  const code = withoutComments(text)
  const isReading = /\breadParams\(/.test(code)
  return /\/:(?:id|\w+Id)\b/.test(code) && !isReading
    ? [`${path} has an identifier in an address, and no readParams`]
    : []
}
