/** How far into the JSON of a body a node key is searched for when the header has none, in bytes. */
export const searchedBytes = 4096

const string = /"((?:[^"\\]|\\.)*)"/y

/**
 * The `node_key` of the JSON object that begins with `text`, a member of the object itself; undefined when it is not
 * there. osquery's logger sends it first; so does every request that has no other member.
 */
export function nodeKeyAtStart(text: string): string | undefined {
  let depth = 0
  let isName = false
  let name = ''
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      string.lastIndex = at
      const content = string.exec(text)?.[1]
      if (content === undefined) return undefined
      at = string.lastIndex - 1
      if (depth !== 1) continue
      if (isName) name = content
      else if (name === 'node_key') return content
      isName = false
    } else if (char === '{' || char === '[') {
      depth += 1
      if (depth === 1) isName = char === '{'
    } else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return undefined
    } else if (char === ',' && depth === 1) {
      isName = true
    }
  }
  return undefined
}

const lastMember = /[,{]\s*"node_key"\s*:\s*"([\w-]{1,100})"\s*\}\s*$/
const endBytes = 256

/**
 * The `node_key` of a JSON object that has it as its last member. osquery adds it last to the results of distributed
 * queries (`TLSRequestHelper::go` in osquery/remote/utility.h, whose RapidJSON objects keep the order of insertion).
 */
export function nodeKeyAtEnd(bytes: Buffer): string | undefined {
  return lastMember.exec(bytes.subarray(-endBytes).toString('latin1'))?.[1]
}
