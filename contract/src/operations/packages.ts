import { Package, packageMediaTypes, packageSearch } from '../packages.ts'
import { defineOperations, file, json, list } from './define-operations.ts'

export const packageOperations = defineOperations({
  listPackages: list({
    path: '/packages',
    permission: 'read',
    summary: 'List installation packages',
    description: 'One for each platform, format and processor. Once installed, it enrolls the device.',
    tag: 'Packages',
    record: Package,
    search: packageSearch,
  }),
  getPackage: json({
    method: 'GET',
    path: '/packages/:id',
    permission: 'read',
    summary: 'Read an installation package',
    tag: 'Packages',
    answer: Package,
  }),
  downloadPackage: file({
    path: '/package_downloads/:id',
    permission: 'download_packages',
    inConsole: { power: 'manage_settings', needsFreshProof: true },
    summary: 'Download an installation package',
    description:
      'The file contains the package’s enrollment secret in plain text, so the key needs the permission `download_packages`; the audit log records which key downloaded it. A version of a package is always the same bytes.',
    tag: 'Packages',
    file: { description: 'The file.', mediaTypes: Object.values(packageMediaTypes) },
  }),
})
