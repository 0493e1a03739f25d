/** How many packages a device of the bench has. */
export const softwareCount = 500

/** The software of one device, as it reports it; another `version` is another release of everything. */
export const softwareRows = (device: string, version: string): Record<string, string>[] =>
  Array.from({ length: softwareCount }, (_, index) => ({
    name: `lib-of-the-bench-${index}`,
    version: `${version}.${index}-${device}`,
    source: 'deb',
    identifier: '',
    publisher: 'Maintainers of the bench <bench@lists.example.org>',
    arch: 'amd64',
    path: '',
  }))
