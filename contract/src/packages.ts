import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, identifierField } from './search-fields.ts'

const packageAgents = ['osquery', 'muster_companion', 'muster_agent'] as const
export type PackageAgent = (typeof packageAgents)[number]

const packagePlatforms = ['darwin', 'linux', 'windows'] as const
export type PackagePlatform = (typeof packagePlatforms)[number]

const packageFormats = ['deb', 'tar.gz', 'pkg', 'sh', 'ps1'] as const
export type PackageFormat = (typeof packageFormats)[number]

export const packageArchitectures = ['any', 'x64', 'arm64'] as const
export type PackageArchitecture = (typeof packageArchitectures)[number]

/** The systems that packages can bring a Node for, as Node names them. */
export const runtimeSystems = [
  'linux-x64',
  'linux-arm64',
  'darwin-arm64',
  'darwin-x64',
  'win-x64',
  'win-arm64',
] as const
export type RuntimeSystem = (typeof runtimeSystems)[number]

export const packageMediaTypes: Readonly<Record<PackageFormat, string>> = {
  deb: 'application/vnd.debian.binary-package',
  'tar.gz': 'application/gzip',
  pkg: 'application/x-xar',
  sh: 'application/x-sh',
  ps1: 'text/plain; charset=utf-8',
}

export const Package = Type.Object(
  {
    built_at: Timestamp('When this version of the package was made.'),
    id: Identifier('Identifier of the package; it stays the same from version to version.'),
    url: Text('Where the file is downloaded, with an API key.', { format: 'uri' }),
    version: Text('Version of the product and, after the hyphen, how often the package was made.'),
    agent: Choice(
      packageAgents,
      'Whether the package configures an installed osquery, brings the companion that runs beside it, or brings Muster’s own agent.',
    ),
    platform: Choice(packagePlatforms, 'The platform that the package is for.'),
    format: Choice(
      packageFormats,
      'A Debian package, an archive with an install script, an installer package for macOS, a shell script, or a PowerShell script.',
    ),
    architecture: Choice(
      packageArchitectures,
      'The processor that the package is for, as Node names it; `any` where it brings no Node, and runs on each.',
    ),
    node_version: Nullable(Text('Version of the Node that the package brings; null where it brings none.')),
    file_name: Text('What the downloaded file is called.'),
    problem: Nullable(
      Text('Why devices cannot enroll with this package, or only some, as a sentence; null where all can.'),
    ),
  },
  {
    title: 'Package',
    description:
      'What you install on a device so that it enrolls. `agent`, `platform`, `format`, `architecture`, `node_version`, `file_name` and `problem` are extensions of this API.',
    examples: [
      {
        built_at: '2026-11-20T09:14:03.120Z',
        id: '3',
        url: 'https://trust.example.com/package_downloads/3',
        version: '0.1.0-1',
        agent: 'osquery',
        platform: 'linux',
        format: 'deb',
        architecture: 'any',
        node_version: null,
        file_name: 'muster-osquery_0.1.0-1_all.deb',
        problem: null,
      },
    ],
  },
)
export type Package = Static<typeof Package>

export const packageSearch = {
  id: identifierField,
  agent: choiceField(packageAgents),
  platform: choiceField(packagePlatforms),
  format: choiceField(packageFormats),
  architecture: choiceField(packageArchitectures),
} as const satisfies SearchFields
