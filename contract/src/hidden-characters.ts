/** Controls, and what hides in text or turns its direction. */
const hidden = String.raw`[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]`

// Scripts whose letters join, or are written otherwise next to a joiner (UAX #31 §2.3). Between Latin ones it only deceives.
const scripts = [
  ...[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Nko',
    'Mandaic',
    'Adlam',
    'Hanifi_Rohingya',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
  ],
  ...[
    'Gujarati',
    'Oriya',
    'Tamil',
    'Telugu',
    'Kannada',
    'Malayalam',
    'Sinhala',
    'Khmer',
    'Myanmar',
    'Tibetan',
    'Lepcha',
  ],
  ...['Balinese', 'Javanese', 'Sundanese', 'Chakma', 'Meetei_Mayek', 'Grantha', 'Newa', 'Sharada', 'Tirhuta'],
]
const letter = String.raw`(?=[\p{L}\p{M}])[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]`
const picture = String.raw`\p{Extended_Pictographic}`

/** With what it stands behind; last is the joiner. Older browsers of the console have no lookbehind. */
const joined = String.raw`${picture}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=${picture})|${letter}[\u200c\u200d](?=${letter})`

const joinedOrHidden = new RegExp(`(${joined})|${hidden}`, 'gu')
const onlyJoined = new RegExp(joined, 'gu')

/**
 * The text with something else for each hidden character. Joiners within an emoji, and between letters of scripts that need them,
 * such as Persian, are part of the text and stay.
 */
export const replaceHidden = (text: string, replacement: (character: string) => string): string =>
  text.replace(joinedOrHidden, (found, kept: string | undefined) => kept ?? replacement(found))

/** The text without the joiners that are part of it, for judging the rest. */
export const withoutJoiners = (text: string): string => text.replace(onlyJoined, (found) => found.slice(0, -1))
