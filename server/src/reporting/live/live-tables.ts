import type { ViewTable } from '../reporting-table.ts'
import { listCheckCatalog, listCheckIssues, listCheckResults } from './check-queries.ts'
import {
  checkCatalogColumns,
  checkIssueColumns,
  checkResultColumns,
  personColumns,
  personDeviceColumns,
  personGroupColumns,
} from './live-columns.ts'
import { listPersonDevices, listPersonGroupMembers, listPersonPeople } from './person-queries.ts'

const checks = { kind: 'view', category: 'Checks', searchField: 'check_id' } as const
const people = { kind: 'view', category: 'People', searchField: 'person_id' } as const

/** What the database knows anyway: each is also a view of its name in SQL. */
export const liveTables: readonly ViewTable[] = [
  {
    ...checks,
    name: 'check_catalog',
    description: 'Checks and how they are configured.',
    columns: checkCatalogColumns,
    list: listCheckCatalog,
  },
  {
    ...checks,
    name: 'check_results',
    description: 'The latest result of every check on every device.',
    aboutPeople: 'The rows of some checks contain account names and paths of home folders.',
    columns: checkResultColumns,
    list: listCheckResults,
  },
  {
    ...checks,
    name: 'check_issues',
    description: 'Failures of checks on devices, open and resolved.',
    aboutPeople: 'The failing rows of some checks contain account names and paths of home folders.',
    columns: checkIssueColumns,
    list: listCheckIssues,
  },
  {
    ...people,
    name: 'person_people',
    description: 'The people of the organization.',
    aboutPeople: 'Names, e-mail addresses and account names, and when each person last signed in.',
    columns: personColumns,
    list: listPersonPeople,
  },
  {
    ...people,
    name: 'person_groups',
    description: 'Which person is in which group.',
    aboutPeople: 'Names, e-mail addresses and groups.',
    columns: personGroupColumns,
    list: listPersonGroupMembers,
  },
  {
    ...people,
    name: 'person_registered_devices',
    description: 'Which person registered which device, and how the device stands.',
    aboutPeople: 'Names, e-mail addresses and devices, and when each was last seen.',
    columns: personDeviceColumns,
    list: listPersonDevices,
  },
]
