import { homedir } from 'node:os'
import { join } from 'node:path'

/** The file whose presence fails the demo check on this machine. */
export const demoFile = (): string => join(homedir(), 'muster-demo')

const fileName = 'muster-demo'

/** How a newcomer breaks and repairs their own machine, without root. */
export const demoCommands =
  process.platform === 'win32'
    ? { toBreak: `ni $HOME\\${fileName}`, toFix: `rm $HOME\\${fileName}` }
    : { toBreak: `touch ~/${fileName}`, toFix: `rm ~/${fileName}` }

/** For the made-up laptops, none of which has the file. */
export const demoCheckFixture = {
  [fileName]: { pass: { file: [] }, fail: { file: [{ path: demoFile(), type: 'regular' }] } },
}

/** The demo check as a draft that can be published. */
export const demoCheckDraft = () => ({
  name: 'No muster-demo file in the home folder',
  slug: fileName,
  description: 'Looks for a file that people make to see a check fail.',
  platforms: ['darwin', 'windows', 'linux'],
  interval_minutes: 5,
  osquery_sql: `SELECT COUNT(*) AS files, CASE WHEN COUNT(*) = 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM file WHERE path = '${demoFile().replaceAll("'", "''")}';`,
  issue_title: 'The file muster-demo is in your home folder',
  rationale_template:
    'It does no harm. It stands in for what a real check looks for, such as a firewall that is off or a disk that is not encrypted.',
  fix_instructions_template: `1. Open a terminal.\n2. Run \`${demoCommands.toFix}\`.\n3. Come back to this tab.`,
  privacy_info: 'Whether your home folder has a file of the name muster-demo.',
})
