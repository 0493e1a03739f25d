const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text for between tags or in an attribute. XML 1.0 has no way to write control characters: they are refused. */
export function xmlText(text: string): string {
  if (/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(text)) throw new Error(`Not a text for XML: ${JSON.stringify(text)}`)
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}
