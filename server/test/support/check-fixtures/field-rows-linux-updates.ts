import type { FieldCase } from './field-case.ts'
import { aptSetting, files, inMonth, readFiles, redHat, release, unit } from './linux-rows.ts'
import type { Tables } from './osquery-database.ts'

type Cases = readonly Omit<FieldCase, 'slug'>[]

const testing = 'apport PR 501: os-release of Debian testing has no VERSION and no VERSION_ID'
const redHatRelease = 'osquery source: platform is "rhel" wherever /etc/redhat-release can be read'
const ubuntuCycle = 'Ubuntu release cycle: interim releases get updates for nine months'
const ubuntu = (versionId: string, month: Tables): Tables => ({
  ...release('ubuntu', versionId, { version: `${versionId} (Some Name)`, platform_like: 'debian' }),
  ...month,
})

const osSupported: Cases = [
  ...['trixie', 'forky'].map((codename) => ({
    when: `Debian testing names itself ${codename}/sid and tells no number`,
    source: testing,
    tables: release('debian', '', { name: 'Debian GNU/Linux', version: '', codename }),
    says: ['UNKNOWN'],
  })),
  {
    when: 'the numbers of Debian testing are empty, not 0',
    source: 'docker-debian-artifacts #209: image of unstable',
    tables: release('debian', '', { major: '', minor: '', version: '' }),
    says: ['UNKNOWN'],
  },
  {
    when: 'Debian tells a number, as text',
    source: testing,
    tables: release('debian', '13', { version: '13 (trixie)' }),
    says: ['PASS'],
  },
  {
    when: 'a rolling release is not listed',
    source: 'DankMaterialShell #3070: os-release of a rolling release',
    tables: release('arch', '', { name: 'Arch Linux' }),
    says: ['INAPPLICABLE'],
  },
  ...(
    [
      ['24.10', 2025, 7, 'PASS'],
      ['24.10', 2025, 8, 'FAIL'],
      ['25.10', 2026, 7, 'PASS'],
      ['25.10', 2026, 11, 'FAIL'],
      ['25.04', 2026, 2, 'FAIL'],
      ['28.10', 2026, 11, 'PASS'],
      ['24.04', 2026, 11, 'PASS'],
      ['20.04', 2026, 11, 'FAIL'],
    ] as const
  ).map(([version, year, month, status]) => ({
    when: `Ubuntu ${version} is used in ${year}-${month}`,
    source: ubuntuCycle,
    tables: ubuntu(version, inMonth(year, month)),
    says: [status],
  })),
  {
    when: 'the date of an interim release of Ubuntu is not told',
    source: ubuntuCycle,
    tables: ubuntu('25.10', {}),
    says: ['UNKNOWN'],
  },
  {
    when: 'Fedora 41 has no updates anymore, and osquery calls it rhel',
    source: redHatRelease,
    tables: redHat('Fedora Linux', 'Fedora release 41 (Forty One)', '41'),
    says: ['FAIL'],
  },
  {
    when: 'Fedora 44 is current',
    source: redHatRelease,
    tables: redHat('Fedora Linux', 'Fedora release 44 (Forty Four)', '44'),
    says: ['PASS'],
  },
  {
    when: 'RHEL 7 is past its support',
    source: redHatRelease,
    tables: redHat('Red Hat Enterprise Linux Server', 'Red Hat Enterprise Linux Server release 7.9 (Maipo)', '7.9'),
    says: ['FAIL'],
  },
  {
    when: 'a rebuild of RHEL is not listed itself',
    source: redHatRelease,
    tables: redHat('Rocky Linux', 'Rocky Linux release 9.5 (Blue Onyx)', '9.5'),
    says: ['PASS'],
  },
  {
    when: 'a system with a numbering of its own has /etc/redhat-release',
    source: 'osquery source, and the files of Qubes OS: qubes-release is linked as redhat-release',
    tables: redHat('Qubes OS', 'Qubes release 4.2 (R4.2)', '4.2'),
    says: ['INAPPLICABLE'],
  },
  {
    when: 'a relative of Ubuntu has an ID of its own',
    source: 'os-release of Linux Mint: ID=linuxmint',
    tables: release('linuxmint', '21.3', { version: '21.3 (Virginia)', platform_like: 'ubuntu debian' }),
    says: ['INAPPLICABLE'],
  },
]

const auto = 'apt.conf.d/20auto-upgrades'
const second = 'APT[2]/Periodic/Unattended-Upgrade'
const reconfigured = 'unattended-upgrades source: data/20auto-upgrades and data/20auto-upgrades-disabled'
const aptConf = 'apt.conf(5): order of the files, names without regard to case'
const lens = 'augeas source: lens aptconf and its tests, run on files of Debian 12'
const daily = 'apt source: apt.systemd.daily'
const now = Date.UTC(2026, 10, 15) / 1000

const installed: Tables = {
  ...release('debian', '12', { version: '12 (bookworm)' }),
  deb_packages: [{ name: 'unattended-upgrades', version: '2.9.1+nmu3', status: 'install ok installed' }],
  systemd_units: [unit('cron.service'), unit('apt-daily-upgrade.timer')],
}

/** `extra` is what `file` answers beyond the files of apt.conf.d that `nodes` are from. */
function apt(nodes: Tables[string], extra: Tables[string] = []): Tables {
  const names = [...new Set(nodes.map(({ path }) => String(path)))]
  const seen = names.filter((path) => path.includes('apt.conf.d')).map((path) => ({ path, size: 80, type: 'regular' }))
  return { ...installed, ...inMonth(2026, 11), augeas: nodes, file: [...seen, ...extra] }
}

const stamp = (days: number, name = 'upgrade-stamp') => ({
  path: `/var/lib/apt/periodic/${name}`,
  mtime: `${now - days * 86_400}`,
})
const unreadable = files('/etc/apt/apt.conf.d', '98proxy')

const unattendedUpgrades: Cases = [
  {
    when: 'the question of dpkg-reconfigure was answered Yes',
    source: reconfigured,
    tables: apt([aptSetting(auto, 'APT[1]/Periodic/Update-Package-Lists', '1'), aptSetting(auto, second, '1')]),
    says: ['PASS'],
  },
  {
    when: 'the question of dpkg-reconfigure was answered No',
    source: `ubuntu-pro-client PR 2484; ${reconfigured}`,
    tables: apt([aptSetting(auto, 'APT[1]/Periodic/Update-Package-Lists', '0'), aptSetting(auto, second, '0')]),
    says: ['FAIL'],
  },
  {
    when: 'the setting lies in another file, in small letters and braces',
    source: aptConf,
    tables: apt([
      ...readFiles('50unattended-upgrades'),
      aptSetting('apt.conf.d/99local', 'apt/periodic/unattended-upgrade', '0'),
    ]),
    says: ['FAIL'],
  },
  {
    when: 'a later file turns on what an earlier one turns off',
    source: aptConf,
    tables: apt([
      aptSetting('apt.conf.d/99local', 'APT/Periodic/Unattended-Upgrade', '1'),
      aptSetting(auto, second, '0'),
    ]),
    says: ['PASS'],
  },
  {
    when: 'apt.conf comes after all others and turns it off',
    source: 'apt source: init.cc reads apt.conf.d first, then apt.conf',
    tables: apt([
      aptSetting('apt.conf', 'APT/Periodic/Unattended-Upgrade', '0'),
      aptSetting('apt.conf.d/99local', second, '1'),
    ]),
    says: ['FAIL'],
  },
  {
    when: 'one file sets it more than once',
    source: lens,
    tables: apt([
      aptSetting(auto, 'APT[10]/Periodic/Unattended-Upgrade', '0'),
      aptSetting(auto, 'APT[9]/Periodic/Unattended-Upgrade', '1'),
    ]),
    says: ['FAIL'],
  },
  {
    when: 'only a backup that apt does not read turns it on',
    source: 'apt source: only files without extension or with .conf count',
    tables: apt([aptSetting(`${auto}.ucf-old`, second, '1'), aptSetting(auto, second, '0')]),
    says: ['FAIL'],
  },
  ...['always', '7', '12h'].map((value) => ({
    when: `the interval is ${value}`,
    source: daily,
    tables: apt([aptSetting(auto, second, value)]),
    says: ['PASS'],
  })),
  {
    when: 'the interval is a word for off',
    source: daily,
    tables: apt([aptSetting(auto, second, 'false')]),
    says: ['FAIL'],
  },
  {
    when: 'the interval is a word that apt does not know',
    source: daily,
    tables: apt([aptSetting(auto, second, 'true')]),
    says: ['UNKNOWN'],
  },
  {
    when: 'APT::Periodic::Enable switches all of it off',
    source: 'ubuntu-server-documentation PR 199; apt source: apt.systemd.daily',
    tables: apt([aptSetting(auto, second, '1'), aptSetting('apt.conf.d/10periodic', 'APT/Periodic/Enable', '0')]),
    says: ['FAIL'],
  },
  {
    when: 'all files can be read and none sets it',
    source: `${daily}: the interval is 0 by default`,
    tables: apt(readFiles('01autoremove', '50unattended-upgrades'), [
      ...files('/etc/apt/apt.conf.d', '50appstream'),
      { path: '/etc/apt/apt.conf.d/00empty', size: '0' },
    ]),
    says: ['FAIL'],
  },
  {
    when: 'a file that augeas cannot parse may set it, and apt ran yesterday',
    source: lens,
    tables: apt(readFiles('01autoremove'), [...unreadable, stamp(1)]),
    says: ['PASS'],
  },
  {
    when: 'nothing can be read and only a run by hand left a trace',
    source: `unattended-upgrades source: write_stamp_file; ${daily}`,
    tables: apt([], [...unreadable, stamp(1, 'unattended-upgrades-stamp')]),
    says: ['UNKNOWN'],
  },
  {
    when: 'nothing can be read and the last run is three weeks ago',
    source: daily,
    tables: apt([], [stamp(21)]),
    says: ['UNKNOWN'],
  },
  {
    when: 'the timer is stopped',
    source: daily,
    tables: { ...apt([aptSetting(auto, second, '1')]), systemd_units: [unit('apt-daily-upgrade.timer', 'inactive')] },
    says: ['FAIL'],
  },
  {
    when: 'the system is Fedora',
    source: redHatRelease,
    tables: redHat('Fedora Linux', 'Fedora release 44 (Forty Four)', '44'),
    says: ['INAPPLICABLE'],
  },
]

const of = (slug: string, cases: Cases) => cases.map((one) => ({ slug, ...one }))

/** What real Linux computers answer about their updates. */
export const linuxUpdateFieldRows: readonly FieldCase[] = [
  ...of('linux-os-supported', osSupported),
  ...of('linux-unattended-upgrades', unattendedUpgrades),
]
