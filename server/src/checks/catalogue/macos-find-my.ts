import type { CatalogueCheck } from './catalogue-check.ts'
import { steps } from './markdown.ts'

export const findMy: CatalogueCheck = {
  slug: 'macos-find-my',
  edition: 2,
  name: 'Find My Mac is on',
  platforms: ['darwin'],
  description:
    'Looks for the token that Find My leaves in the NVRAM. Unknown on a Mac with Apple silicon from macOS 15.6 on, which shows the token to no agent.',
  topics: ['theft'],
  sql: `WITH found AS (
  SELECT COUNT(*) AS variables, TOTAL(name = 'fmm-mobileme-token-FMM') AS tokens FROM nvram),
mac AS (
  SELECT o.major * 100 + o.minor >= 1506 AS is_late,
    CASE WHEN i.cpu_type LIKE 'arm%' OR i.cpu_brand LIKE 'Apple%' THEN 1
         WHEN COALESCE(i.cpu_type, '') <> '' OR COALESCE(i.cpu_brand, '') <> '' THEN 0 END AS is_silicon
  FROM (SELECT 1) seed LEFT JOIN os_version o ON 1 LEFT JOIN system_info i ON 1),
judged AS (
  SELECT found.tokens, mac.is_late, mac.is_silicon,
    CASE WHEN found.tokens > 0 THEN 'PASS'
         WHEN found.variables = 0 THEN 'UNKNOWN'
         WHEN mac.is_silicon = 0 OR mac.is_late = 0 THEN 'FAIL'
         ELSE 'UNKNOWN' END AS status
  FROM found JOIN mac ON 1)
SELECT tokens, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status <> 'UNKNOWN' OR is_silicon = 0 OR is_late = 0 THEN NULL
       WHEN is_silicon IS NULL THEN 'The Mac does not tell its kind of processor, and from macOS 15.6 on Apple silicon hides whether Find My is on.'
       WHEN is_late IS NULL THEN 'The Mac does not tell its version of macOS, and from 15.6 on Apple silicon hides whether Find My is on.'
       ELSE 'From macOS 15.6 on, a Mac with Apple silicon does not tell an agent whether Find My is on.' END AS unknown_reason
FROM judged;`,
  cannotTell:
    'From macOS 15.6 on, a Mac with Apple silicon shows the token to no agent, so that the answer there is unknown, whether Find My is on or off.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Find My Mac is off',
  rationale:
    'With Find My on, you can locate, lock or erase a lost Mac, and nobody else can set it up again as theirs. That makes a stolen Mac worth far less.',
  fixInstructions: steps(
    'Open **System Settings** and click your name at the top.',
    'Choose **iCloud**, then **Find My Mac** (under **Show All** or **See All**).',
    'Turn on **Find My Mac** and allow it to use the location.',
  ),
  enabledByDefault: false,
  privacyInfo:
    'Reads only whether Find My is on, the kind of processor and the version of macOS. The location of the Mac is never read.',
}
