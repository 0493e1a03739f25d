import type { CatalogueCheck } from './catalogue-check.ts'
import { fullDiskAccess } from './full-disk-access.ts'
import { steps, withFound } from './markdown.ts'

/**
 * Fails for each file of a person whose name is like one of `patterns`. OneDrive's backup moves Desktop and Documents below
 * a folder of its own; where it does is in the registry, which is no table of the other systems, so that naming it would
 * be an error there. Without Full Disk Access, any file in folders of people shows that macOS hides nothing; those of root it
 * never hides.
 */
function fileNameSql(...patterns: readonly string[]): string {
  return String.raw`WITH ${fullDiskAccess},
pattern(name) AS (VALUES ${patterns.map((pattern) => `('${pattern}')`).join(', ')}),
system AS (SELECT platform, CASE WHEN platform = 'windows' THEN '\' ELSE '/' END AS sep FROM os_version),
place(sub) AS (
  VALUES ('Desktop'), ('Documents'), ('Downloads')
  UNION ALL SELECT 'OneDrive%\%' FROM system WHERE platform = 'windows'),
folder AS (
  SELECT u.username, u.directory || system.sep || place.sub || system.sep AS path
  FROM system CROSS JOIN users u CROSS JOIN place WHERE u.directory <> ''),
hit AS (
  SELECT f.path, MIN(folder.username) AS username, MAX(f.mtime) AS mtime
  FROM folder CROSS JOIN pattern CROSS JOIN file f ON f.path LIKE folder.path || pattern.name GROUP BY f.path),
hidden AS (
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM system WHERE platform = 'darwin') OR NOT EXISTS (SELECT 1 FROM folder) THEN 0
              WHEN EXISTS (SELECT 1 FROM hit) OR (SELECT is_open FROM disk) THEN 0
              ELSE NOT EXISTS (
                SELECT 1 FROM folder CROSS JOIN file f ON f.path LIKE folder.path || '%' WHERE folder.path LIKE '/Users/%')
              END AS is_hidden)
SELECT COALESCE(hit.path, 'none') AS path, hit.username, hit.mtime,
  CASE WHEN NOT EXISTS (SELECT 1 FROM folder) OR hidden.is_hidden THEN 'UNKNOWN'
       WHEN hit.path IS NULL THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN hidden.is_hidden
       THEN 'macOS shows the agent no file in these folders: osqueryd needs Full Disk Access, which an administrator can grant.'
       END AS unknown_reason
FROM hidden LEFT JOIN hit ON 1;`
}

const limits = (finds: string): string =>
  `Finds ${finds}, in three folders of each account and not in folders below them, and on Windows in each folder directly below one of OneDrive. Folders that are redirected elsewhere, as to a network drive, and folders of Linux that are named in another language are not seen.`

const emergencyKit: CatalogueCheck = {
  slug: 'onepassword-emergency-kit',
  edition: 2,
  name: 'No 1Password Emergency Kit lies in plain files',
  platforms: ['darwin', 'linux', 'windows'],
  description:
    'Looks for files named like a 1Password Emergency Kit in Desktop, Documents and Downloads of every account, and on Windows in its folders of OneDrive. Unknown where macOS shows the agent no file there.',
  topics: ['credentials', 'files'],
  sql: fileNameSql('1Password Emergency Kit%'),
  cannotTell: limits('a kit by its usual name only'),
  options: {},
  primaryKeyColumn: 'path',
  issueTitle: 'A 1Password Emergency Kit lies in a folder',
  rationale:
    'The Emergency Kit holds the Secret Key of your 1Password account, and often the password too, written in by hand. Whoever copies that one file may open all your other passwords.',
  fixInstructions: withFound(
    'Files that were found:',
    'path',
    steps(
      'Open the file and print it, or store it on an encrypted stick. Keep that at home or in a safe, not with the device.',
      'Delete the file from this device and empty the Bin (Trash, Recycle Bin).',
      'If the folder is copied to a cloud storage or a shared drive, delete it there as well.',
      'If others could have seen it, change your account password and Secret Key at 1Password.com under **My Profile**.',
    ),
  ),
  intervalMinutes: 240,
  enabledByDefault: false,
  privacyInfo:
    'Looks in three folders, and on Windows in the folders of OneDrive, for one file name. On a Mac without Full Disk Access it also looks whether any file is there. The contents of files are never read, and no other name is reported.',
}

const recoveryCodes: CatalogueCheck = {
  slug: 'recovery-codes-in-files',
  edition: 2,
  name: 'No recovery codes lie in plain files',
  platforms: ['darwin', 'linux', 'windows'],
  description:
    'Looks for the well-known names under which GitHub, GitLab and Google offer recovery codes, in Desktop, Documents and Downloads of every account, and on Windows in its folders of OneDrive. Unknown where macOS shows the agent no file there.',
  topics: ['credentials', 'files'],
  sql: fileNameSql('github-recovery-codes%.txt', 'Backup-codes-%.txt', 'gitlab-recovery-codes%.txt'),
  cannotTell: limits('codes by the usual names of their files only'),
  options: {},
  primaryKeyColumn: 'path',
  issueTitle: 'Recovery codes lie in a folder',
  rationale:
    'Recovery codes replace the second factor of a login. In a plain file they are there for every program that runs on this device, and the second factor then protects no longer.',
  fixInstructions: withFound(
    'Files that were found:',
    'path',
    steps(
      'Open the file and store the codes in your password manager, or print them and keep the paper at home.',
      'Delete the file from this device and empty the Bin (Trash, Recycle Bin).',
      'If the folder is copied to a cloud storage or a shared drive, delete it there as well.',
      'If others could have seen the codes, make new ones in the security settings of the service; the old ones stop working.',
    ),
  ),
  intervalMinutes: 240,
  enabledByDefault: false,
  privacyInfo:
    'Looks in three folders, and on Windows in the folders of OneDrive, for three kinds of file names. On a Mac without Full Disk Access it also looks whether any file is there. The contents of files are never read, and no other name is reported.',
}

/** Secrets that people have put into plain files. */
export const filesOfPeopleChecks: readonly CatalogueCheck[] = [emergencyKit, recoveryCodes]
