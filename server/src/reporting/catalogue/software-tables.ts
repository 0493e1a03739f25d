import { columnList, everyFourHours, hourly, type InventoryTable } from '../reporting-table.ts'

const category = 'Software'

const software: InventoryTable = {
  kind: 'inventory',
  name: 'device_software',
  category,
  description:
    'Installed applications, programs and system packages. Before osquery 5.23.0 some apps of macOS are missing.',
  aboutPeople: 'Paths of applications that a person installed alone contain the name of their home folder.',
  intervalSeconds: everyFourHours,
  columns: columnList({
    name: 'Name of the application or package.',
    version: 'Its version.',
    source: 'Where it comes from: app, homebrew, program, chocolatey, deb or rpm.',
    identifier: 'Bundle identifier on macOS, identifying number on Windows.',
    publisher: 'Who publishes or maintains it.',
    arch: 'Architecture of the package.',
    path: 'Where it is installed.',
  }),
  queries: {
    darwin: `SELECT name, bundle_short_version AS version, 'app' AS source, bundle_identifier AS identifier, '' AS publisher, '' AS arch, path FROM apps
UNION SELECT name, version, 'homebrew', '', '', '', path FROM homebrew_packages`,
    linux: `SELECT name, version, 'deb' AS source, '' AS identifier, maintainer AS publisher, arch, '' AS path FROM deb_packages WHERE status = 'install ok installed'
UNION SELECT name, version || '-' || release, 'rpm', '', vendor, arch, '' FROM rpm_packages`,
    windows: `SELECT name, version, 'program' AS source, identifying_number AS identifier, publisher, '' AS arch, install_location AS path FROM programs
UNION SELECT name, version, 'chocolatey', '', author, '', path FROM chocolatey_packages`,
  },
}

const pythonPackages: InventoryTable = {
  kind: 'inventory',
  name: 'device_python_packages',
  category,
  description: 'Python packages in the system folders.',
  intervalSeconds: everyFourHours,
  columns: columnList({
    name: 'Name of the package.',
    version: 'Its version.',
    license: 'Licence that it names.',
    directory: 'Folder that it is installed in.',
  }),
  queries: {
    darwin: 'SELECT DISTINCT name, version, license, directory FROM python_packages',
    linux: 'SELECT DISTINCT name, version, license, directory FROM python_packages',
    windows: 'SELECT DISTINCT name, version, license, directory FROM python_packages',
  },
}

const npmPackages: InventoryTable = {
  kind: 'inventory',
  name: 'device_npm_packages',
  category,
  description: 'Globally installed npm packages.',
  intervalSeconds: everyFourHours,
  columns: columnList({
    name: 'Name of the package.',
    version: 'Its version.',
    license: 'Licence that it names.',
    directory: 'Folder that holds it.',
  }),
  queries: {
    darwin: 'SELECT DISTINCT name, version, license, directory FROM npm_packages',
    linux: 'SELECT DISTINCT name, version, license, directory FROM npm_packages',
    windows: 'SELECT DISTINCT name, version, license, directory FROM npm_packages',
  },
}

const patches: InventoryTable = {
  kind: 'inventory',
  name: 'device_patches',
  category,
  description: 'Windows updates that are installed. Who installed them is not read.',
  intervalSeconds: hourly,
  columns: columnList({
    hotfix_id: 'Number of the update, such as KB5034441.',
    caption: 'Address of its description.',
    description: 'Kind of update.',
    installed_on: 'Day of the installation as Windows writes it.',
  }),
  queries: { windows: 'SELECT hotfix_id, caption, description, installed_on FROM patches' },
}

const securityProducts: InventoryTable = {
  kind: 'inventory',
  name: 'device_security_products',
  category,
  description: 'Firewalls and virus scanners that are registered with Windows.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      type: 'Firewall, Antivirus or Antispyware.',
      name: 'Name of the product; of those that Windows brings, it differs by release and language.',
      state: 'On, Off, Snoozed or Expired.',
      signatures_up_to_date: '1 when its signatures are.',
    },
    ['signatures_up_to_date'],
  ),
  queries: { windows: 'SELECT type, name, state, signatures_up_to_date FROM windows_security_products' },
}

export const softwareTables = [software, pythonPackages, npmPackages, patches, securityProducts]
