/** Group `group` of the first match of `pattern`, or null; 0 is the whole match. */
export function regexMatch(subject: string, pattern: string, group: number): string | null {
  return new RegExp(pattern, 'u').exec(subject)?.[group] ?? null
}

/** Piece `index` (from 0) of `subject` cut at matches of `pattern`, or null when there are fewer. */
export function regexSplit(subject: string, pattern: string, index: number): string | null {
  return subject.split(new RegExp(pattern, 'u'))[index] ?? null
}

/** Piece `index` (from 0) of `subject` cut at any of the characters `delimiters`; empty pieces do not count. */
export function split(subject: string, delimiters: string, index: number): string | null {
  const pieces: string[] = []
  let piece = ''
  for (const character of subject) {
    if (!delimiters.includes(character)) {
      piece += character
      continue
    }
    if (piece !== '') pieces.push(piece)
    piece = ''
  }
  if (piece !== '') pieces.push(piece)
  return pieces[index] ?? null
}
