/** What the user agent says; a claim of the browser's. */
export function browserOf(userAgent: string): { name: string; version: string } {
  const found = /(Edg|Firefox|Chrome|Version)\/(\d+)/.exec(userAgent.replace(/Chrome\/\S+ Safari\/\S+ Edg/, 'Edg'))
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', Version: 'Safari' }
  const [, name = '', version = ''] = found ?? []
  return { name: names[name] ?? name, version }
}
