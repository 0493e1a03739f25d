/**
 * Text as names and addresses are compared: width, case and form of Unicode make no difference, as in UsernameCaseMapped of
 * RFC 8265 §3.3. Case by itself, whatever the language and the place in the word, so Σ, σ and ς are one. The function
 * `folded` of the database gives the same.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return text.replace(otherWidth, narrow).toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

const isAscii = /^[\0-\x7f]*$/
const otherWidth = /[\u3000\uff01-\uffee]/g

/** One step of decomposition (RFC 8265 §3.3.1): NFKC takes Hangul and the macron further. */
const narrow = (character: string): string => nextStep.get(character) ?? character.normalize('NFKC')

/** The macron, and half-width letters, which are in the order of the compatibility letters, in groups. */
const nextStep = new Map(
  (
    [
      [0xffe3, 0xaf, 1],
      [0xffa0, 0x3164, 1],
      [0xffa1, 0x3131, 30],
      [0xffc2, 0x314f, 6],
      [0xffca, 0x3155, 6],
      [0xffd2, 0x315b, 6],
      [0xffda, 0x3161, 3],
    ] as const
  ).flatMap(([from, to, count]) =>
    Array.from(
      { length: count },
      (_, index) => [String.fromCharCode(from + index), String.fromCharCode(to + index)] as const,
    ),
  ),
)
