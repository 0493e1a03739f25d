export type Platform = 'darwin' | 'windows' | 'linux'

export const platforms: readonly Platform[] = ['darwin', 'windows', 'linux']

/** osquery's bit mask: macOS is 0x10 | 0x04 | 0x01, Linux 0x08 | 0x01, Windows 0x02. */
export const platformMask: Record<Platform, string> = { darwin: '21', windows: '2', linux: '9' }

/** The first row of `os_version`, as osquery fills it on that release. */
export type OperatingSystem = Record<
  | 'name'
  | 'version'
  | 'major'
  | 'minor'
  | 'patch'
  | 'build'
  | 'platform'
  | 'platform_like'
  | 'codename'
  | 'arch'
  | 'extra',
  string
> & { revision?: string }

type Releases = readonly [OperatingSystem, ...OperatingSystem[]]

const mac = (version: string, build: string, arch: string): OperatingSystem => ({
  ...numbersOf(version),
  name: 'macOS',
  version,
  build,
  platform: 'darwin',
  platform_like: 'darwin',
  codename: '',
  arch,
  extra: '',
})

const windows = (name: string, version: string, revision: string): OperatingSystem => ({
  ...numbersOf(version),
  name,
  version,
  build: version.split('.')[2] ?? '',
  platform: 'windows',
  platform_like: 'windows',
  codename: name,
  arch: '64-bit',
  extra: '',
  revision,
})

const linux = (name: string, platform: string, like: string, version: string, codename: string): OperatingSystem => ({
  ...numbersOf(version),
  name,
  version,
  build: '',
  platform,
  platform_like: like,
  codename,
  arch: 'x86_64',
  extra: '',
})

function numbersOf(version: string): { major: string; minor: string; patch: string } {
  const [major = '0', minor = '0', patch = '0'] = version.split(' ')[0]?.split('.') ?? []
  return { major, minor, patch }
}

export const releasesOf: Record<Platform, Releases> = {
  darwin: [
    mac('26.0.1', '25A362', 'arm64'),
    mac('15.7.1', '24G231', 'arm64'),
    mac('15.6', '24G84', 'arm64'),
    mac('14.8.1', '23J30', 'x86_64'),
  ],
  windows: [
    windows('Microsoft Windows 11 Pro', '10.0.26100', '6584'),
    windows('Microsoft Windows 11 Enterprise', '10.0.22631', '5909'),
    windows('Microsoft Windows 10 Pro', '10.0.19045', '6332'),
  ],
  linux: [
    linux('Ubuntu', 'ubuntu', 'debian', '24.04.3 LTS (Noble Numbat)', 'noble'),
    linux('Debian GNU/Linux', 'debian', '', '12 (bookworm)', 'bookworm'),
    linux('Fedora Linux', 'fedora', '', '42 (Workstation Edition)', ''),
    linux('Ubuntu', 'ubuntu', 'debian', '22.04.5 LTS (Jammy Jellyfish)', 'jammy'),
  ],
}
