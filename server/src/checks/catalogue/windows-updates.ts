import type { CatalogueCheck } from './catalogue-check.ts'
import { steps, withFound } from './markdown.ts'

export const osUpToDate: CatalogueCheck = {
  slug: 'windows-os-up-to-date',
  name: 'Windows is up to date',
  platforms: ['windows'],
  description:
    'Compares the revision of the installed build with the lowest accepted one. A build that is not listed fails; one newer than all listed ones is unknown until you list it. Build 26200 takes the revision of 26100 unless it is listed.',
  topics: ['updates', 'operating system'],
  // The value UBR is where osquery from 5.12 on takes its column revision from; older versions lack the column. Builds
  // 26100 and 26200 get the same updates.
  sql: String.raw`WITH floor_version(build, revision) AS (
  VALUES {{ options.minimum_revisions | sql_rows: "build", "revision" }}),
ubr AS (
  SELECT MAX(CAST(data AS INTEGER)) AS revision
  FROM registry
  WHERE key = 'HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion' AND lower(name) = 'ubr' AND data <> ''),
installed AS (
  SELECT MAX(NULLIF(o.build, '')) AS build FROM os_version o),
found AS (
  SELECT i.build, u.revision, COALESCE(
    (SELECT MIN(f.revision) FROM floor_version f WHERE f.build = CAST(i.build AS INTEGER)),
    (SELECT MIN(f.revision) FROM floor_version f WHERE f.build = 26100 AND i.build = '26200')) AS minimum_revision
  FROM installed i CROSS JOIN ubr u),
judged AS (
  SELECT f.*, CASE
    WHEN f.build IS NULL THEN 'Windows does not tell its build.'
    WHEN f.minimum_revision IS NULL AND CAST(f.build AS INTEGER) > (SELECT MAX(v.build) FROM floor_version v)
    THEN 'This build is newer than every build in the options of the check. Add it there, with its lowest accepted revision.'
    WHEN f.revision IS NULL THEN 'The revision of the build could not be read from the registry.' END AS unknown_reason
  FROM found f)
SELECT build, revision, minimum_revision, unknown_reason,
  CASE WHEN unknown_reason IS NOT NULL THEN 'UNKNOWN'
       WHEN revision >= minimum_revision THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM judged;`,
  options: {
    minimum_revisions: {
      kind: 'record_list',
      title: 'Lowest accepted revisions',
      description:
        'One entry for each build of Windows that your organization accepts; winver shows both numbers, as in 26100.3981. Computers with hotpatches have a lower revision for the same month, so enter the lower of the two.',
      fields: {
        build: { kind: 'integer', title: 'Build', min: 7600, max: 999_999 },
        revision: { kind: 'integer', title: 'Lowest revision', min: 0, max: 999_999 },
      },
      minItems: 1,
      maxItems: 50,
      default: [
        { build: 19045, revision: 6000 },
        { build: 22631, revision: 5000 },
        { build: 26100, revision: 3981 },
      ],
    },
  },
  cannotTell:
    'It compares with the listed revisions and does not know what Microsoft published since. A computer with hotpatches and one without have different revisions of the same month, so one listed number cannot be exact for both.',
  primaryKeyColumn: null,
  issueTitle: 'Windows is out of date',
  rationale:
    'Every month Microsoft closes faults in Windows that are public from that day, some of them already in use by attackers. A computer without these updates can be attacked with methods that anyone can look up.',
  fixInstructions: steps(
    'Save your work and connect the computer to power.',
    'Open **Settings › Windows Update**.',
    'Click **Check for updates**, then **Download & install** for what is offered.',
    'Click **Restart now** when the updates are ready, and check once more for updates after the restart.',
    'If Windows says that it is up to date, this release no longer gets updates: install the feature update that is offered there, or ask your IT team.',
  ),
  enabledByDefault: true,
}

export const recentUpdate: CatalogueCheck = {
  slug: 'windows-recent-update',
  name: 'An update of Windows was installed recently',
  platforms: ['windows'],
  description:
    'Reads from the update history when an update of Windows was last installed with success. Definitions of Microsoft Defender and the monthly removal tool do not count.',
  topics: ['updates'],
  // Titles are in the language of Windows; the numbers of articles and the names of products are not.
  sql: `WITH definition(article) AS (VALUES
  ('KB2267602'), ('KB915597'), ('KB2461484'), ('KB890830'), ('KB4052623'), ('KB5007651'), ('KB2310138')),
history AS (
  SELECT MIN(CASE WHEN h.date > 0 THEN h.date END) AS first_entry,
    MAX(CASE WHEN h.result_code = 'Succeeded' AND h.operation = 'Installation'
      AND (upper(h.title) GLOB '*KB[0-9]*' OR h.title LIKE '%Windows 10%' OR h.title LIKE '%Windows 11%')
      AND COALESCE(h.client_app_id, '') <> 'Windows Defender' COLLATE NOCASE
      AND NOT EXISTS (SELECT 1 FROM definition d WHERE instr(upper(h.title), d.article) > 0) THEN h.date END) AS last_update
  FROM windows_update_history h),
found AS (
  SELECT h.last_update, h.first_entry, t.unix_time - {{ options.max_days | sql_integer }} * 86400 AS since
  FROM history h LEFT JOIN time t ON 1),
judged AS (
  SELECT last_update, COALESCE(last_update >= since, 0) AS is_recent, COALESCE(first_entry < since, 0) AS reaches_back FROM found)
SELECT last_update,
  CASE WHEN NOT is_recent AND NOT reaches_back
       THEN 'The update history of Windows begins too late: the computer is new, or the history was emptied.' END AS unknown_reason,
  CASE WHEN is_recent THEN 'PASS'
       WHEN reaches_back THEN 'FAIL'
       ELSE 'UNKNOWN' END AS KOLIDE_CHECK_STATUS
FROM judged;`,
  options: {
    max_days: {
      kind: 'integer',
      title: 'Longest time in days',
      description: 'Windows gets updates each month. Definitions come more often and do not count.',
      min: 1,
      max: 365,
      default: 45,
    },
  },
  cannotTell:
    'It knows an update of Windows by the number of its article or by the name of Windows in its title, so an update of another Microsoft product can count as one. Updates that came without Windows Update are not in the history.',
  primaryKeyColumn: null,
  issueTitle: 'No Windows update was installed for weeks',
  rationale:
    'Windows gets updates at least once a month. When none was installed for {{ options.max_days }} days, updating is paused, broken or waiting for a restart, and known faults stay open.',
  fixInstructions: steps(
    'Open **Settings › Windows Update**.',
    'If updates are paused, click **Resume updates**.',
    'Click **Check for updates** and install everything that is offered, then restart.',
    'If an update fails again and again, open **Settings › System › Troubleshoot › Other troubleshooters** and run **Windows Update**. If that does not help, send the error code to your IT team.',
  ),
  intervalMinutes: 360,
  enabledByDefault: true,
}

export const chromeUpToDate: CatalogueCheck = {
  slug: 'windows-chrome-up-to-date',
  name: 'Chrome is up to date',
  platforms: ['windows'],
  description:
    'Compares the newest entry of Google Chrome among the installed programs with the lowest accepted version.',
  topics: ['updates', 'browsers'],
  // An installer can leave an entry of its own, whose number of three parts never changes and is no version of Chrome.
  sql: `WITH chrome AS (
  SELECT name || '|' || COALESCE(install_location, '') AS pk, version, COALESCE(version, '') LIKE '%.%.%.%' AS is_version
  FROM programs WHERE name = 'Google Chrome'),
newest AS (
  SELECT c.pk, c.version, c.is_version FROM chrome c
  WHERE NOT EXISTS (
    SELECT 1 FROM chrome o WHERE o.is_version AND (NOT c.is_version OR version_compare(o.version, c.version) > 0))
  GROUP BY c.pk)
SELECT COALESCE(n.pk, 'none') AS pk, n.version,
  CASE WHEN NOT n.is_version THEN 'The list of programs holds no version of Chrome, only a number of its installer.' END AS unknown_reason,
  CASE WHEN n.pk IS NULL AND NOT EXISTS (SELECT 1 FROM programs) THEN 'UNKNOWN'
       WHEN n.pk IS NULL THEN 'INAPPLICABLE'
       WHEN NOT n.is_version THEN 'UNKNOWN'
       WHEN version_compare(n.version, {{ options.minimum_version | sql_text }}) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN newest n ON 1;`,
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'Raise it as new releases of Chrome appear.',
      default: '140.0.0.0',
    },
  },
  cannotTell:
    'It reads the list of installed programs, which names the installed version and not the running one. Of several entries the newest counts, so an older copy beside it is not seen.',
  primaryKeyColumn: 'pk',
  issueTitle: 'Chrome is out of date',
  rationale:
    'The browser opens more from strangers than any other program, so its faults are the first that attackers use. Chrome fixes some every week or two, but a fix works only after Chrome has been restarted.',
  fixInstructions: withFound(
    'Installed versions that are out of date:',
    'version',
    steps(
      'Open Chrome, click the three dots at the top right and choose **Help › About Google Chrome**.',
      'Wait until the update is loaded and click **Relaunch**. You need at least version {{ options.minimum_version | code }}.',
      'If you do not use Chrome, uninstall it under **Settings › Apps › Installed apps**.',
    ),
  ),
  enabledByDefault: false,
}
