// Generated from contract/openapi/2026-04-07.json by `npm run openapi`.
export interface paths {
    readonly "/whoami": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the organization of the key
         * @description Any key may call this.
         */
        readonly get: operations["getWhoAmI"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/devices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List devices
         * @description Any key may call this.
         */
        readonly get: operations["listDevices"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/devices/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a device
         * @description Any key may call this.
         */
        readonly get: operations["getDevice"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a device
         * @description The device disappears from the API and its agent is refused at once. Administrators can restore it for some time; then it is permanently deleted.
         *
         *     The key needs the permission Remove Devices, and the organization the feature Write API.
         */
        readonly delete: operations["deleteDevice"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/people/{personId}/registered_devices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the devices registered to a person
         * @description Any key may call this.
         */
        readonly get: operations["listDevicesOfPerson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/devices/{deviceId}/authentication_mode": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change who can sign in with a device
         * @description The key needs the permission Update Devices, and the organization the feature Write API.
         */
        readonly put: operations["updateDeviceAuthenticationModeWithPut"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change who can sign in with a device
         * @description The key needs the permission Update Devices, and the organization the feature Write API.
         */
        readonly patch: operations["updateDeviceAuthenticationMode"];
        readonly trace?: never;
    };
    readonly "/devices/{deviceId}/registration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Register a device to a person
         * @description The person becomes the owner, who can sign in with the device. What the device fails counts from now: it can be blocked at once by checks that block immediately, and after the grace period by others. Nothing changes where the device is theirs already. A device that has another owner also needs Remove Devices, one whose registration is suspended Manage User Requests.
         *
         *     The key needs the permission Update Devices, and the organization the feature Write API.
         */
        readonly put: operations["assignDeviceOwnerWithPut"];
        readonly post?: never;
        /**
         * End the registration of a device
         * @description The owner can no longer sign in with the device. If it was the person's only one, they may register another without approval. A phone or tablet is deleted with its registration.
         *
         *     The key needs the permission Remove Devices, and the organization the feature Write API.
         */
        readonly delete: operations["deleteDeviceRegistration"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Register a device to a person
         * @description The person becomes the owner, who can sign in with the device. What the device fails counts from now: it can be blocked at once by checks that block immediately, and after the grace period by others. Nothing changes where the device is theirs already. A device that has another owner also needs Remove Devices, one whose registration is suspended Manage User Requests.
         *
         *     The key needs the permission Update Devices, and the organization the feature Write API.
         */
        readonly patch: operations["assignDeviceOwner"];
        readonly trace?: never;
    };
    readonly "/device_groups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List device groups
         * @description Any key may call this.
         */
        readonly get: operations["listDeviceGroups"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/device_groups/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a device group
         * @description Any key may call this.
         */
        readonly get: operations["getDeviceGroup"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/device_groups/{deviceGroupId}/devices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the devices of a device group
         * @description Any key may call this.
         */
        readonly get: operations["listDevicesOfGroup"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/device_groups/{deviceGroupId}/memberships": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add devices to a device group
         * @description Adds all of the devices or none, up to 1,000 in a call. Devices already in the group stay.
         *
         *     The key needs the permission Manage Device Groups, and the organization the feature Write API.
         */
        readonly post: operations["addDeviceGroupMembers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/device_groups/{deviceGroupId}/memberships/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a device from a device group
         * @description The last part of the path is the identifier of the device.
         *
         *     The key needs the permission Manage Device Groups, and the organization the feature Write API.
         */
        readonly delete: operations["removeDeviceGroupMember"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/people": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List people
         * @description Any key may call this.
         */
        readonly get: operations["listPeople"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/people/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a person
         * @description Any key may call this.
         */
        readonly get: operations["getPerson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/deprovisioned_people": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List deprovisioned people
         * @description Any key may call this.
         */
        readonly get: operations["listDeprovisionedPeople"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/person_groups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List person groups
         * @description Any key may call this.
         */
        readonly get: operations["listPersonGroups"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/person_groups/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a person group
         * @description Any key may call this.
         */
        readonly get: operations["getPersonGroup"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/people/{personId}/person_groups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the groups of a person
         * @description Any key may call this.
         */
        readonly get: operations["listGroupsOfPerson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/person_groups/{personGroupId}/people": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the people of a group
         * @description Any key may call this.
         */
        readonly get: operations["listPeopleOfGroup"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/checks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List checks
         * @description Any key may call this.
         */
        readonly get: operations["listChecks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/checks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a check
         * @description Any key may call this.
         */
        readonly get: operations["getCheck"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/checks/{checkId}/configurations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the configuration of a check
         * @description Any key may call this.
         */
        readonly get: operations["getCheckConfiguration"];
        /**
         * Change the configuration of a check
         * @description Only the members you send change; `options` is replaced as a whole. Devices are evaluated again in the background.
         *
         *     The key needs the permission Configure Checks, and the organization the feature Write API.
         */
        readonly put: operations["updateCheckConfigurationWithPut"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the configuration of a check
         * @description Only the members you send change; `options` is replaced as a whole. Devices are evaluated again in the background.
         *
         *     The key needs the permission Configure Checks, and the organization the feature Write API.
         */
        readonly patch: operations["updateCheckConfiguration"];
        readonly trace?: never;
    };
    readonly "/devices/{deviceId}/check_results": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the check results of a device
         * @description Any key may call this.
         */
        readonly get: operations["listCheckResultsOfDevice"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/checks/{checkId}/results": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the results of a check
         * @description Any key may call this.
         */
        readonly get: operations["listCheckResultsOfCheck"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/devices/{deviceId}/check_refreshes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run a check on a device again
         * @description The check runs when the device next checks in, usually within a minute.
         *
         *     The key needs the permission Refresh Check, and the organization the feature Write API.
         */
        readonly post: operations["createCheckRefresh"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/checks/{checkId}/runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Report a result of an external check
         * @description For a device, or for a person: then for each of their registered devices that the check targets. At most 500 rows; the open issues of the check change with them as with any result.
         *
         *     The key needs the permission Run External Checks, and the organization the feature Write API.
         */
        readonly post: operations["runExternalCheck"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/custom_check_drafts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List drafts of custom checks
         * @description The organization needs the feature Custom Checks.
         *
         *     Any key may call this.
         */
        readonly get: operations["listCustomCheckDrafts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/custom_check_drafts/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a draft of a custom check
         * @description The organization needs the feature Custom Checks.
         *
         *     Any key may call this.
         */
        readonly get: operations["getCustomCheckDraft"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a draft of a custom check
         * @description Returns the draft as it was. A check published from it stays.
         *
         *     The key needs the permission Manage Custom Check Drafts, and the organization the feature Write API.
         *
         *     The organization needs the feature Custom Checks.
         */
        readonly delete: operations["deleteCustomCheckDraft"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/issues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List issues, open and resolved
         * @description Any key may call this.
         */
        readonly get: operations["listIssues"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/issues/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an issue
         * @description Any key may call this.
         */
        readonly get: operations["getIssue"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/devices/{deviceId}/open_issues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the open issues of a device
         * @description Any key may call this.
         */
        readonly get: operations["listOpenIssuesOfDevice"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/people/{personId}/open_issues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the open issues of the devices of a person
         * @description Any key may call this.
         */
        readonly get: operations["listOpenIssuesOfPerson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exemption_requests": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List requests for the exemption of issues
         * @description Any key may call this.
         */
        readonly get: operations["listExemptionRequests"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exemption_requests/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an exemption request
         * @description Any key may call this.
         */
        readonly get: operations["getExemptionRequest"];
        /**
         * Approve or deny an exemption request
         * @description When approved, its issues stay open but no longer block. A request that was decided or withdrawn cannot be decided again.
         *
         *     The key needs the permission Manage User Requests, and the organization the feature Write API.
         */
        readonly put: operations["decideExemptionRequestWithPut"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Approve or deny an exemption request
         * @description When approved, its issues stay open but no longer block. A request that was decided or withdrawn cannot be decided again.
         *
         *     The key needs the permission Manage User Requests, and the organization the feature Write API.
         */
        readonly patch: operations["decideExemptionRequest"];
        readonly trace?: never;
    };
    readonly "/registration_requests": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List requests for the registration of devices
         * @description Any key may call this.
         */
        readonly get: operations["listRegistrationRequests"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/registration_requests/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a registration request
         * @description Any key may call this.
         */
        readonly get: operations["getRegistrationRequest"];
        /**
         * Approve or deny a registration request
         * @description When approved, the device is registered to the requester, even if someone else owned it. A decided request cannot be decided again.
         *
         *     The key needs the permission Manage User Requests, and the organization the feature Write API.
         */
        readonly put: operations["decideRegistrationRequestWithPut"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Approve or deny a registration request
         * @description When approved, the device is registered to the requester, even if someone else owned it. A decided request cannot be decided again.
         *
         *     The key needs the permission Manage User Requests, and the organization the feature Write API.
         */
        readonly patch: operations["decideRegistrationRequest"];
        readonly trace?: never;
    };
    readonly "/packages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List installation packages
         * @description One for each platform and format. Once installed, it enrolls the device.
         *
         *     Any key may call this.
         */
        readonly get: operations["listPackages"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/packages/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an installation package
         * @description Any key may call this.
         */
        readonly get: operations["getPackage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/package_downloads/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download an installation package
         * @description The file contains the package’s enrollment secret in plain text, so the key needs the permission `download_packages`; the audit log records which key downloaded it. A version of a package is always the same bytes.
         *
         *     The key needs the permission Download Packages, and the organization the feature Write API.
         */
        readonly get: operations["downloadPackage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/live_query_campaigns": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List live queries
         * @description The organization needs the feature Live Query.
         *
         *     Any key may call this.
         */
        readonly get: operations["listLiveQueryCampaigns"];
        readonly put?: never;
        /**
         * Run a live query
         * @description Devices that are online run it at once; others have seven days to answer.
         *
         *     The key needs the permission Create Live Query, and the organization the feature Write API.
         *
         *     The organization needs the feature Live Query.
         */
        readonly post: operations["createLiveQueryCampaign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/live_query_campaigns/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a live query
         * @description The organization needs the feature Live Query.
         *
         *     Any key may call this.
         */
        readonly get: operations["getLiveQueryCampaign"];
        /**
         * Change a live query
         * @description New SQL or targets raise `revision`: earlier results are dropped, and all targeted devices run it again. A new name alone does not. Members you leave out stay as they are.
         *
         *     The key needs the permission Create Live Query, and the organization the feature Write API.
         *
         *     The organization needs the feature Live Query.
         */
        readonly put: operations["updateLiveQueryCampaignWithPut"];
        readonly post?: never;
        /**
         * Delete a live query
         * @description Its results are deleted, and devices that have not answered yet no longer run it.
         *
         *     The key needs the permission Create Live Query, and the organization the feature Write API.
         *
         *     The organization needs the feature Live Query.
         */
        readonly delete: operations["deleteLiveQueryCampaign"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a live query
         * @description New SQL or targets raise `revision`: earlier results are dropped, and all targeted devices run it again. A new name alone does not. Members you leave out stay as they are.
         *
         *     The key needs the permission Create Live Query, and the organization the feature Write API.
         *
         *     The organization needs the feature Live Query.
         */
        readonly patch: operations["updateLiveQueryCampaign"];
        readonly trace?: never;
    };
    readonly "/live_query_campaigns/{liveQueryCampaignId}/query_results": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the results of a live query
         * @description One result for each device that has answered the current revision, in the order of the answers.
         *
         *     The organization needs the feature Live Query.
         *
         *     Any key may call this.
         */
        readonly get: operations["listLiveQueryResults"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/live_query_campaigns/{liveQueryCampaignId}/query_results/{resultId}/rows": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List all rows of a device’s result
         * @description Up to 1,000 rows at a time, in the order in which the device returned them.
         *
         *     The organization needs the feature Live Query.
         *
         *     Any key may call this.
         */
        readonly get: operations["listLiveQueryRows"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/tables": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List reporting tables
         * @description The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["listReportingTables"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/tables/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a reporting table
         * @description The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["getReportingTable"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/tables/{tableName}/table_records": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the records of a reporting table
         * @description Device tables can be searched by `device_id`, check tables by `check_id` and person tables by `person_id`; `searchable_fields` of the table lists them.
         *
         *     The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["listTableRecords"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/queries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List reporting queries
         * @description The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["listReportingQueries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/queries/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a reporting query
         * @description The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["getReportingQuery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reporting/queries/{queryId}/results": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the rows of a reporting query
         * @description The rows of the latest run. Later pages come from the same run as the first page, even if the query runs again in between; after two more runs with different rows the cursor is refused.
         *
         *     The organization needs the feature Reporting.
         *
         *     Any key may call this.
         */
        readonly get: operations["listReportingQueryResults"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit_logs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List audit logs, newest first
         * @description Any key may call this.
         */
        readonly get: operations["listAuditLogs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit_logs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an audit log
         * @description Any key may call this.
         */
        readonly get: operations["getAuditLog"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth_logs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List auth logs, newest first
         * @description Any key may call this.
         */
        readonly get: operations["listAuthLogs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/auth_logs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an auth log
         * @description Any key may call this.
         */
        readonly get: operations["getAuthLog"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin_users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List admin users
         * @description Any key may call this.
         */
        readonly get: operations["listAdminUsers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin_users/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an admin user
         * @description Any key may call this.
         */
        readonly get: operations["getAdminUser"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description An extension. The endpoints that receive events, and their health.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly get: operations["listWebhookEndpoints"];
        readonly put?: never;
        /**
         * Create a webhook endpoint
         * @description An extension. The answer contains the signing secret. To see it later, reveal it; the audit log records that. An organization has at most 50 endpoints.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["createWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description An extension.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly get: operations["getWebhookEndpoint"];
        /**
         * Change a webhook endpoint
         * @description An extension. Members you leave out stay as they are, also with PUT. If `url` changes to another origin (scheme, host or port), custom headers whose values you do not send again are removed; the answer shows the ones that are left. Events that occur while an endpoint is disabled are not queued for it; events queued before wait, and are sent when it is enabled again.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly put: operations["updateWebhookEndpointWithPut"];
        readonly post?: never;
        /**
         * Delete a webhook endpoint
         * @description An extension. Waiting deliveries are not sent, and the delivery log is deleted.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly delete: operations["deleteWebhookEndpoint"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook endpoint
         * @description An extension. Members you leave out stay as they are, also with PUT. If `url` changes to another origin (scheme, host or port), custom headers whose values you do not send again are removed; the answer shows the ones that are left. Events that occur while an endpoint is disabled are not queued for it; events queued before wait, and are sent when it is enabled again.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly patch: operations["updateWebhookEndpoint"];
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/reveal_secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reveal the secret of a webhook endpoint
         * @description An extension. Returns the endpoint with its signing secret; the audit log records it.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["revealWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/roll_secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace the secret of a webhook endpoint
         * @description An extension. Returns the endpoint with its new secret. Until the overlap ends, `webhook-signature` has a signature of each secret, and `Authorization` uses the previous one. During an overlap you can only roll again with an overlap of 0, which ends both earlier secrets at once.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["rollWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the deliveries of an endpoint, newest first
         * @description An extension. The delivery log: every message queued for the endpoint, and its outcome. Entries are kept for 180 days after their outcome is known.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/deliveries/{deliveryId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a delivery
         * @description An extension. The delivery with its body and its latest 100 attempts: request, response and timing.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly get: operations["getWebhookDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test event
         * @description An extension. Queues `webhook.test`, or an example of another event, for this endpoint alone, whatever events it subscribes to, and returns the delivery: read it again to see its outcome. Examples contain made-up values, such as `Ana’s MacBook` with the identifier 1042; nothing else marks them as examples.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["testWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/deliveries/{deliveryId}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a delivery again
         * @description An extension. Queues the same message, with the same `id` and body, as a new delivery and returns it, even if the endpoint no longer subscribes to the event. If the message is being retried, that delivery is sent now instead and returned: the extra attempt does not count against the retry schedule. If the message is already due, the call is refused. A `Retry-After` from the receiver is honored.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["resendWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook_endpoints/{endpointId}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a range of deliveries again
         * @description An extension. Queues every message of the range as a new delivery, in order, up to 10,000 in a call; only failed ones unless `states` says otherwise. Messages that are already waiting are skipped, and so are messages delivered since, unless you ask for delivered ones; it is safe to call this twice.
         *
         *     The key needs the permission Manage Webhooks, and the organization the feature Write API.
         */
        readonly post: operations["resendWebhookDeliveries"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/ssf-configuration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read how to connect a receiver
         * @description No key is required.
         */
        readonly get: operations["getSsfConfiguration"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the keys that verify event tokens
         * @description No key is required.
         */
        readonly get: operations["getSsfKeys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/ssf-configuration/ssf/{organizationId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read how to connect a receiver to the path issuer of an organization
         * @description For organizations whose issuer is a path (SSF 1.0 §7.2); others answer 404.
         *
         *     No key is required.
         */
        readonly get: operations["getSsfConfigurationOfOrganization"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf/{organizationId}/.well-known/ssf-configuration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read how to connect a receiver to the path issuer of an organization
         * @description For organizations whose issuer is a path (SSF 1.0 §7.2); others answer 404.
         *
         *     No key is required.
         */
        readonly get: operations["getSsfConfigurationBelowOrganization"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf/{organizationId}/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the keys that verify event tokens of the path issuer of an organization
         * @description For organizations whose issuer is a path (SSF 1.0 §7.2); others answer 404.
         *
         *     No key is required.
         */
        readonly get: operations["getSsfKeysOfOrganization"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List streams
         * @description With `stream_id`, returns that stream alone, or 404. With an access token instead of an API key, returns an array of up to 1,000 streams that the token’s key created, as the Shared Signals Framework defines.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["listSsfStreams"];
        /**
         * Change the stream that the body names
         * @description PATCH keeps members you leave out; PUT sets them to their defaults. You may send members that the service sets, unchanged; if they differ, the answer is 400.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly put: operations["configureSsfStreamWithPut"];
        /**
         * Create a stream
         * @description Accepts the standard body, or the legacy body inside `ssf_stream`. Without `delivery` the stream is a poll stream. The answer for a poll stream contains its token, which is shown only once.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["createSsfStream"];
        /**
         * Delete the stream that the query names
         * @description The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly delete: operations["removeSsfStream"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the stream that the body names
         * @description PATCH keeps members you leave out; PUT sets them to their defaults. You may send members that the service sets, unchanged; if they differ, the answer is 400.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly patch: operations["configureSsfStream"];
        readonly trace?: never;
    };
    readonly "/ssf_streams/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the status of a stream
         * @description The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStreamStatus"];
        readonly put?: never;
        /**
         * Enable, pause or disable a stream
         * @description Events that are waiting when a stream is paused or disabled are delivered once it is enabled again.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["setSsfStreamStatus"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request a verification event
         * @description It is delivered like every event of the stream, with the `state` you sent. A stream that is not enabled answers 400.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["verifySsfStream"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a stream
         * @description The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStream"];
        /**
         * Change a stream
         * @description Members you leave out stay as they are, also with PUT. Waiting events are delivered the new way. A stream that becomes a poll stream cannot be polled until you rotate its poll token; one that becomes a push stream needs the URL of its receiver.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly put: operations["updateSsfStreamWithPut"];
        readonly post?: never;
        /**
         * Delete a stream
         * @description The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly delete: operations["deleteSsfStream"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a stream
         * @description Members you leave out stay as they are, also with PUT. Waiting events are delivered the new way. A stream that becomes a poll stream cannot be polled until you rotate its poll token; one that becomes a push stream needs the URL of its receiver.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly patch: operations["updateSsfStream"];
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/rotate_poll_token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace the poll token of a stream
         * @description The stream and its events stay. The answer contains the new token, which is shown only once.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["rotateSsfPollToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test event to a stream
         * @description Sends an event that says that a device of the person changed to its current status. A push stream gets it at once, a poll stream with its next poll. If the receiver does not answer within five seconds, the event is not sent again. A stream that is not enabled, or has not requested the event, answers 400.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["testSsfStream"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/issuer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the issuer, keys and audience of a stream
         * @description An extension. Returns them as they are now, as they were before the latest move, and as a move would make them.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStreamIssuer"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/move": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Move a stream to the current issuer and keys of the organization
         * @description An extension. Events queued before the move keep their issuer and keys, which stay published for 31 days. A stream that already has them stays as it is.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["moveSsfStream"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{stream_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Poll a stream
         * @description Returns up to 100 event tokens that are not acknowledged yet, without waiting. Accepts an API key with the poll token of the stream in `X-Service-Poll-Bearer-Token`, the poll token alone as `Authorization: Bearer`, or an access token of the key that created the stream. Anything else is a 401, and so are all of them while the poll token is disabled.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["pollSsfStream"];
        readonly put?: never;
        /**
         * Acknowledge event tokens, or poll a stream
         * @description Acknowledges the tokens that the body names and, unless it only acknowledges, polls. A poll without `returnImmediately` stays open until an event arrives, up to 30 seconds; at most two such polls per stream at a time. Accepts an API key with the poll token of the stream in `X-Service-Poll-Bearer-Token`, the poll token alone as `Authorization: Bearer`, or an access token of the key that created the stream. Anything else is a 401, and so are all of them while the poll token is disabled.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["pollOrAcknowledgeSsfStream"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the events of a stream, newest first
         * @description An extension. Every event queued for the receiver, and its outcome. Entries are kept for 90 days after their outcome is known.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["listSsfStreamEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/history/{eventId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an event of a stream
         * @description An extension. The event with its latest 100 attempts.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStreamEvent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send events of a stream again
         * @description An extension. Queues events again, in order, with the same `jti` and the same token; up to 10,000 in a call. Events that are already waiting are skipped, so it is safe to call this twice. The receiver gets old events again; to recover from data loss, read the snapshot instead.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly post: operations["replaySsfStreamEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/snapshot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the current status of all devices
         * @description An extension. Lets a receiver start, or recover from data loss: every registered device with the status that its receivers last got, in signed pages, each at an exact place in the stream. With `Accept: application/x-ndjson` all pages come in one answer, one token per line; the answer is complete if its last token has no `next`.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStreamSnapshot"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ssf_streams/{streamId}/checkpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a checkpoint to verify that a receiver missed nothing
         * @description An extension. A receiver that keeps the set of noncompliant devices compares its own digest with this one: they are equal if it has processed every event up to `sequence`.
         *
         *     The key needs the permission Manage Shared Signals Framework Streams, and the organization the feature Write API.
         *
         *     The organization needs the feature Shared Signals.
         */
        readonly get: operations["getSsfStreamCheckpoint"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AdminUser
         * @description Someone who administers the organization.
         * @example {
         *       "id": "12",
         *       "first_name": "Maya",
         *       "last_name": "Lindqvist",
         *       "email": "maya@acme.example",
         *       "created_at": "2025-02-03T08:30:00.000Z",
         *       "access": "limited",
         *       "restrictions": [
         *         "manage_keys"
         *       ]
         *     }
         */
        readonly AdminUser: {
            /** @description Identifier of the administrator. */
            readonly id: string;
            /** @description First name of the administrator. */
            readonly first_name: string;
            /** @description Last name of the administrator; may be blank. */
            readonly last_name: string;
            /** @description E-mail address of the administrator. */
            readonly email: string;
            /**
             * Format: date-time
             * @description When the administrator was added.
             */
            readonly created_at: string;
            /**
             * @description Whether they may do everything, only part of it, or see to billing only.
             * @enum {string}
             */
            readonly access: "full" | "limited" | "billing_only";
            /** @description What an administrator with limited access may not do; blank for the others. */
            readonly restrictions: readonly string[];
        };
        /**
         * AdminUserPage
         * @description One page of a list.
         */
        readonly AdminUserPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["AdminUser"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * AuditLog
         * @description One action that changed or revealed something in the organization.
         * @example {
         *       "id": "90211",
         *       "timestamp": "2026-11-20T09:14:03.120Z",
         *       "actor_name": "Maya Lindqvist",
         *       "description": "Changed the grace period of the check \"FileVault is on\" from 7 to 3 days.",
         *       "actor_info": {
         *         "actor_name": "Maya Lindqvist",
         *         "actor_email": "maya@acme.example",
         *         "actor_type": "User"
         *       }
         *     }
         */
        readonly AuditLog: {
            /** @description Identifier of the entry. */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the action took place.
             */
            readonly timestamp: string;
            /** @description Name of the actor, as it was then. */
            readonly actor_name: string;
            /** @description What was done, as one sentence in the past tense. */
            readonly description: string;
            /** @description Who acted. */
            readonly actor_info: {
                /** @description Name of the administrator, API key, person or part of the service that acted. */
                readonly actor_name: string;
                /** @description E-mail address of the actor; null for API keys and the service itself. */
                readonly actor_email: string | null;
                /**
                 * @description Whether an administrator, an API key, the service or an end user acted.
                 * @enum {string}
                 */
                readonly actor_type: "User" | "ApiKey" | "System" | "Person";
            };
        };
        /**
         * AuditLogPage
         * @description One page of a list.
         */
        readonly AuditLogPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["AuditLog"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * AuthLog
         * @description One attempt of a person to sign in.
         * @example {
         *       "id": "50117",
         *       "timestamp": "2026-11-20T07:58:12.004Z",
         *       "person_name": "Tomas Okafor",
         *       "person_email": "tomas@acme.example",
         *       "person_info": {
         *         "identifier": "311",
         *         "link": "https://muster.example.com/people/311"
         *       },
         *       "device_info": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "result": "Success",
         *       "initial_status": "will_block",
         *       "ip_address": "198.51.100.24",
         *       "agent_version": "5.19.0",
         *       "country": "Sweden",
         *       "city": "Uppsala",
         *       "browser_name": "Firefox",
         *       "browser_user_agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
         *       "issues_displayed": [
         *         {
         *           "title": "Unencrypted SSH key",
         *           "blocking_status": "will_block",
         *           "id": "7719",
         *           "link": "https://muster.example.com/issues/7719"
         *         }
         *       ],
         *       "events": [
         *         {
         *           "timestamp": "2026-11-20T07:58:12.004Z",
         *           "event_type": "sign_in_attempt",
         *           "event_description": "Tomas Okafor began to sign in."
         *         },
         *         {
         *           "timestamp": "2026-11-20T07:58:41.207Z",
         *           "event_type": "sign_in_success",
         *           "event_description": "Tomas Okafor signed in."
         *         }
         *       ],
         *       "okta_app_instance_id": "",
         *       "okta_app_name": ""
         *     }
         */
        readonly AuthLog: {
            /** @description Identifier of the entry. */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the person began to sign in.
             */
            readonly timestamp: string;
            /** @description Name of the person as it was then; of someone who is not on the list, as the identity provider said it. */
            readonly person_name: string;
            /** @description E-mail address of the person as it was then; of someone who is not on the list, as the identity provider said it. */
            readonly person_email: string;
            /** @description The person who signed in. */
            readonly person_info: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The device they signed in with. */
            readonly device_info: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /**
             * @description Whether the person got in: Fail until they do.
             * @enum {string}
             */
            readonly result: "Success" | "Fail";
            /**
             * @description What state the device was in at first; unknown without a device.
             * @enum {string}
             */
            readonly initial_status: "all_good" | "will_block" | "blocked" | "unknown";
            /** @description Address that the person came from; blank when it is not known. */
            readonly ip_address: string;
            /** @description Version of the agent on the device; null when none was found. */
            readonly agent_version: string | null;
            /** @description Country of the address; null when it is not known. */
            readonly country: string | null;
            /** @description City of the address; null when it is not known. */
            readonly city: string | null;
            /** @description Name of the browser; blank when it is not known. */
            readonly browser_name: string;
            /** @description What the browser calls itself. */
            readonly browser_user_agent: string;
            /** @description The issues that the person was shown, in the order they were shown. */
            readonly issues_displayed: readonly {
                /** @description What was wrong, as it was shown. */
                readonly title: string;
                /**
                 * @description Whether the issue blocked the device then, or was going to.
                 * @enum {string}
                 */
                readonly blocking_status: "blocked" | "will_block";
                /** @description Identifier of the issue. */
                readonly id: string;
                /**
                 * Format: uri
                 * @description Address of the issue in this API.
                 */
                readonly link: string;
            }[];
            /** @description The steps of signing in, in order. */
            readonly events: readonly {
                /**
                 * Format: date-time
                 * @description When it happened.
                 */
                readonly timestamp: string;
                /**
                 * @description What kind of step it was.
                 * @enum {string}
                 */
                readonly event_type: "sign_in_attempt" | "agent_detection_success" | "agent_detection_failure" | "agent_download_request" | "mobile_agent_detection_success" | "push_notification_sent" | "device_registration_request" | "device_registration_successful" | "device_registration_blocked" | "device_blocked" | "issue_viewed" | "device_rechecked" | "issue_snoozed" | "exemption_requested" | "sign_in_success";
                /** @description What happened, as a sentence. */
                readonly event_description: string;
            }[];
            /** @description Identifier of the application at the identity provider; blank when it told none. */
            readonly okta_app_instance_id: string;
            /** @description Name of the application at the identity provider; blank when it told none. */
            readonly okta_app_name: string;
        };
        /**
         * AuthLogPage
         * @description One page of a list.
         */
        readonly AuthLogPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["AuthLog"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * Check
         * @description A rule that devices are held to.
         * @example {
         *       "id": "57",
         *       "name": "FileVault is on",
         *       "slug": "macos-disk-encryption",
         *       "compatible_platforms": [
         *         "darwin"
         *       ],
         *       "description": "Looks for a volume that FileVault encrypts.",
         *       "topics": [
         *         "disk-encryption"
         *       ],
         *       "osquery_sql_template": "SELECT CASE WHEN TOTAL(filevault_status = 'on') > 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM disk_encryption;",
         *       "issue_title": "FileVault is off",
         *       "fix_instructions_template": "Open System Settings, Privacy & Security, and turn on FileVault.",
         *       "rationale_template": "Without encryption, anyone who holds the disk can read it.",
         *       "check_tags": [
         *         {
         *           "id": "3",
         *           "name": "Baseline",
         *           "description": "Required on every device.",
         *           "color": "#2f6fed"
         *         }
         *       ],
         *       "blocks_auth_configuration": {
         *         "blocking_enabled": true,
         *         "grace_period_days": 7,
         *         "blocking_group_names": [],
         *         "blocking_exempt_group_names": [
         *           "Early adopters"
         *         ]
         *       },
         *       "targeting_configuration": {
         *         "excluded_groups": [
         *           "8"
         *         ],
         *         "targeted_groups": [
         *           "macos"
         *         ]
         *       },
         *       "percent_passing": 96,
         *       "kolide_provided": true,
         *       "type": "osquery"
         *     }
         */
        readonly Check: {
            /** @description Identifier of the check. */
            readonly id: string;
            /** @description Name of the check. */
            readonly name: string;
            /** @description Short name of the check, fit for programs. */
            readonly slug: string;
            /** @description The platforms that the check can run on. */
            readonly compatible_platforms: readonly ("darwin" | "windows" | "linux")[];
            /** @description What the check looks at. */
            readonly description: string;
            /** @description Subjects that the check touches. */
            readonly topics: readonly string[];
            /** @description The query, as a Liquid template of the options; null for external checks. */
            readonly osquery_sql_template: string | null;
            /** @description Title of the issues that the check opens. */
            readonly issue_title: string;
            /** @description How to put the failure right, as a Liquid template in Markdown. */
            readonly fix_instructions_template: string;
            /** @description Why it matters, as a Liquid template in Markdown. */
            readonly rationale_template: string;
            /** @description Labels of the check. */
            readonly check_tags: readonly {
                /** @description Identifier of the tag. */
                readonly id: string;
                /** @description Name of the tag. */
                readonly name: string;
                /** @description What the tag stands for; null when nobody said. */
                readonly description: string | null;
                /** @description Colour of the tag in the console, such as `#2f6fed`; null for the plain one. */
                readonly color: string | null;
            }[];
            /** @description Whether and whom the check blocks. */
            readonly blocks_auth_configuration: {
                /** @description Whether failing the check blocks devices, at once or after a grace period. */
                readonly blocking_enabled: boolean;
                /** @description Days between the failure and the block. */
                readonly grace_period_days: number;
                /** @description Names of the groups that are blocked; empty for every targeted device. */
                readonly blocking_group_names: readonly string[];
                /** @description Names of the groups that are never blocked. */
                readonly blocking_exempt_group_names: readonly string[];
            };
            /** @description Which devices the check runs on. */
            readonly targeting_configuration: {
                /** @description Groups and platforms that the check leaves out. */
                readonly excluded_groups: readonly string[];
                /** @description Groups and platforms that the check runs on; empty for every compatible device. */
                readonly targeted_groups: readonly string[];
            };
            /** @description Share of the targeted devices that pass now, in whole percent, rounded down. Devices count whose result is passing, failing, errored, unknown, stale or pending: what is not 100 need not fail. Devices that the check is inapplicable to or exempted on do not count; 0 when none counts. */
            readonly percent_passing: number;
            /** @description Whether the check comes with the service rather than from the organization. */
            readonly kolide_provided: boolean;
            /**
             * @description Whether the check comes with the service, was written here or is reported from outside.
             * @enum {string}
             */
            readonly type: "osquery" | "custom" | "external";
        };
        /**
         * CheckConfiguration
         * @description How an organization runs a check and what failing it means.
         * @example {
         *       "id": "41",
         *       "organization_id": "1",
         *       "check_id": "58",
         *       "name": "Screen locks quickly after sleep",
         *       "check_slug": "macos-screen-lock",
         *       "issue_title": "Screen locks too late",
         *       "options": "{\"max_grace_seconds\":60}",
         *       "use_custom_rationale_template": false,
         *       "use_custom_fix_instructions_template": false,
         *       "paused": false,
         *       "paused_by": null,
         *       "paused_at": null,
         *       "revision": "4",
         *       "block_auth_grace_period_days": 7,
         *       "auth_check_run_shelf_life_seconds": 3600,
         *       "begins_blocking_on": "2026-12-01T00:00:00.000Z",
         *       "snooze_disallowed": false,
         *       "exemptions_disallowed": false,
         *       "customized_remediation_targeting": false,
         *       "customized_run_targeting": true,
         *       "remediation_strategy": "warn_then_block",
         *       "targeted_groups": [
         *         "macos"
         *       ],
         *       "excluded_groups": [
         *         "8"
         *       ],
         *       "blocking_allowed_groups": [],
         *       "blocking_excluded_groups": []
         *     }
         */
        readonly CheckConfiguration: {
            /** @description Identifier of the configuration. */
            readonly id: string;
            /** @description The organization that the configuration belongs to. */
            readonly organization_id: string;
            /** @description The check that is configured. */
            readonly check_id: string;
            /** @description Name of the check. */
            readonly name: string;
            /** @description Short name of the check, fit for programs. */
            readonly check_slug: string;
            /** @description Title of the issues that the check opens. */
            readonly issue_title: string;
            /**
             * Format: json
             * @description Values that the query of the check uses, as JSON text of an object.
             */
            readonly options: string;
            /** @description Whether the organization wrote its own rationale. */
            readonly use_custom_rationale_template: boolean;
            /** @description Whether the organization wrote its own instructions. */
            readonly use_custom_fix_instructions_template: boolean;
            /** @description Whether the check is paused: it does not run and blocks nobody. */
            readonly paused: boolean;
            /** @description Name of the person who paused the check; null while it is not paused. */
            readonly paused_by: string | null;
            /**
             * Format: date-time
             * @description When the check was paused; null while it is not paused.
             */
            readonly paused_at: string | null;
            /** @description Changes with every change of the configuration. */
            readonly revision: string;
            /** @description Days between a failure and the block, where the strategy warns first. */
            readonly block_auth_grace_period_days: number;
            /** @description Age in seconds beyond which a result is renewed at sign-in. */
            readonly auth_check_run_shelf_life_seconds: number;
            /**
             * Format: date-time
             * @description Before this moment the check blocks nobody; null when there is no such moment.
             */
            readonly begins_blocking_on: string | null;
            /** @description Whether end users are kept from putting off the issues of the check. */
            readonly snooze_disallowed: boolean;
            /** @description Whether end users are kept from asking for exemptions. */
            readonly exemptions_disallowed: boolean;
            /** @description Whether some groups are singled out for blocking or kept from it. */
            readonly customized_remediation_targeting: boolean;
            /** @description Whether some groups are singled out for the check or kept from it. */
            readonly customized_run_targeting: boolean;
            /**
             * @description What happens to a device that fails the check.
             * @enum {string}
             */
            readonly remediation_strategy: "block_immediately" | "warn_then_block" | "notify_only" | "report_only";
            /** @description Device group identifiers and `macos`, `windows`, `linux` that the check runs on; empty for every compatible device. */
            readonly targeted_groups: readonly string[];
            /** @description Device group identifiers and platforms that the check leaves out, even where they are targeted. */
            readonly excluded_groups: readonly string[];
            /** @description Device group identifiers and platforms that may be blocked; empty for every targeted device. */
            readonly blocking_allowed_groups: readonly string[];
            /** @description Device group identifiers and platforms that are never blocked, even where they are allowed. */
            readonly blocking_excluded_groups: readonly string[];
        };
        /**
         * CheckConfigurationRequest
         * @description What to change; members that are left out stay as they are.
         * @example {
         *       "options": {
         *         "max_grace_seconds": 60
         *       },
         *       "remediation_strategy": "warn_then_block",
         *       "block_auth_grace_period_days": 7,
         *       "targeted_groups": [
         *         "macos",
         *         12
         *       ],
         *       "excluded_groups": [
         *         "8"
         *       ]
         *     }
         */
        readonly CheckConfigurationRequest: {
            /** @description Whether the check is paused: it does not run and blocks nobody. */
            readonly paused?: boolean;
            /** @description Days between a failure and the block, where the strategy warns first. */
            readonly block_auth_grace_period_days?: number;
            /** @description Age in seconds beyond which a result is renewed at sign-in. */
            readonly auth_check_run_shelf_life_seconds?: number;
            /** @description Whether end users are kept from putting off the issues of the check. */
            readonly snooze_disallowed?: boolean;
            /** @description Whether end users are kept from asking for exemptions. */
            readonly exemptions_disallowed?: boolean;
            /** @description Device group identifiers and `macos`, `windows`, `linux` that the check runs on; empty for every compatible device. */
            readonly targeted_groups?: readonly (string | number)[];
            /** @description Device group identifiers and platforms that the check leaves out, even where they are targeted. */
            readonly excluded_groups?: readonly (string | number)[];
            /** @description Device group identifiers and platforms that may be blocked; empty for every targeted device. */
            readonly blocking_allowed_groups?: readonly (string | number)[];
            /** @description Device group identifiers and platforms that are never blocked, even where they are allowed. */
            readonly blocking_excluded_groups?: readonly (string | number)[];
            /** @description Values that the query uses, as an object or JSON text of one; replaces all earlier values. */
            readonly options?: string | {
                readonly [key: string]: unknown;
            };
            /**
             * @description What happens to a device that fails the check.
             * @enum {string}
             */
            readonly remediation_strategy?: "block_immediately" | "warn_then_block" | "notify_only" | "report_only";
        };
        /**
         * CheckPage
         * @description One page of a list.
         */
        readonly CheckPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["Check"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * CheckRefresh
         * @description That a check was asked to run again on a device.
         * @example {
         *       "device_id": "1042",
         *       "check_id": "57",
         *       "check_refresh_initiated_at": "2026-11-20T09:14:03.120Z"
         *     }
         */
        readonly CheckRefresh: {
            /** @description The device that runs the check. */
            readonly device_id: string;
            /** @description The check that runs again. */
            readonly check_id: string;
            /**
             * Format: date-time
             * @description When the new run was asked for.
             */
            readonly check_refresh_initiated_at: string;
        };
        /**
         * CheckRefreshRequest
         * @description Which check to run again on a device.
         * @example {
         *       "check_id": "57"
         *     }
         */
        readonly CheckRefreshRequest: {
            /** @description The check to run again. */
            readonly check_id: string | number;
        };
        /**
         * CheckResult
         * @description The last answer of a check on one device.
         * @example {
         *       "check_id": "57",
         *       "check_slug": "macos-disk-encryption",
         *       "check_name": "FileVault is on",
         *       "device_id": "1042",
         *       "device_display_name": "Tomas's MacBook Pro",
         *       "ran_at": "2026-11-20T08:41:12.633Z",
         *       "exemption_reason": null,
         *       "exemption_expires_at": null,
         *       "check_result_data": [
         *         {
         *           "volumes": "2",
         *           "protected_volumes": "0",
         *           "KOLIDE_CHECK_STATUS": "FAIL"
         *         }
         *       ],
         *       "status": "failing"
         *     }
         */
        readonly CheckResult: {
            /** @description The check that ran. */
            readonly check_id: string;
            /** @description Short name of the check, fit for programs. */
            readonly check_slug: string;
            /** @description Name of the check. */
            readonly check_name: string;
            /** @description The device that the check ran on. */
            readonly device_id: string;
            /** @description Name of the device. */
            readonly device_display_name: string;
            /**
             * Format: date-time
             * @description When the check last ran on the device; null if it never did.
             */
            readonly ran_at: string | null;
            /** @description Why the check is exempted on the device; null when it is not. */
            readonly exemption_reason: string | null;
            /**
             * Format: date-time
             * @description When the exemption ends; null when there is none or it has no end.
             */
            readonly exemption_expires_at: string | null;
            /** @description The rows of the last run; empty if there was none. */
            readonly check_result_data: readonly {
                readonly [key: string]: string;
            }[];
            /**
             * @description What the last run means for the device.
             * @enum {string}
             */
            readonly status: "unknown" | "passing" | "failing" | "errored" | "inapplicable" | "stale" | "pending" | "out_of_scope";
        };
        /**
         * CheckResultPage
         * @description One page of a list.
         */
        readonly CheckResultPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["CheckResult"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * CustomCheckDraft
         * @description A check that the organization is writing.
         * @example {
         *       "id": "12",
         *       "name": "Hosts file is untouched",
         *       "slug": "hosts-file-untouched",
         *       "description": "Looks for names in the hosts file that lead elsewhere.",
         *       "issue_title": "The hosts file redirects a name",
         *       "osquery_sql": "SELECT hostnames, address, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts;",
         *       "platforms": [
         *         "darwin",
         *         "linux"
         *       ],
         *       "rationale_template": "A name that leads elsewhere can send your password to a stranger.",
         *       "fix_instructions_template": "1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.",
         *       "privacy_info": "Names and addresses in the hosts file.",
         *       "check_type": "osquery",
         *       "target_type": "devices",
         *       "requires_primary_key": true,
         *       "primary_key_column": "hostnames",
         *       "published": true,
         *       "custom_check_id": "88",
         *       "osquery_sql_status": "good",
         *       "notification_templates_status": "good",
         *       "details_status": "good",
         *       "privacy_center_details_status": "good",
         *       "publishable": true,
         *       "template_data_examples": "[{\"hostnames\":\"bank.example\",\"address\":\"203.0.113.9\",\"KOLIDE_CHECK_STATUS\":\"FAIL\"}]",
         *       "privacy_center_example_data": "[{\"hostnames\":\"localhost\",\"address\":\"127.0.0.1\"}]",
         *       "created_at": "2026-11-18T09:20:00.000Z",
         *       "updated_at": "2026-11-19T15:02:41.118Z"
         *     }
         */
        readonly CustomCheckDraft: {
            /** @description Identifier of the draft. */
            readonly id: string;
            /** @description Name of the check to be. */
            readonly name: string;
            /** @description Short name of the check to be, fit for programs. */
            readonly slug: string;
            /** @description What the check looks at. */
            readonly description: string;
            /** @description Title of the issues that the check opens. */
            readonly issue_title: string;
            /** @description The query, as a Liquid template of the options; blank for external checks. */
            readonly osquery_sql: string;
            /** @description The platforms that the check can run on. */
            readonly platforms: readonly ("darwin" | "windows" | "linux")[];
            /** @description Why it matters, as a Liquid template in Markdown. */
            readonly rationale_template: string;
            /** @description How to put the failure right, as a Liquid template in Markdown. */
            readonly fix_instructions_template: string;
            /** @description What the check reads about people and their files, for the people themselves. */
            readonly privacy_info: string;
            /**
             * @description Whether agents run the check or its results are reported from outside.
             * @enum {string}
             */
            readonly check_type: "osquery" | "external";
            /**
             * @description Whether results are about devices or, for external checks, people.
             * @enum {string}
             */
            readonly target_type: "devices" | "people";
            /** @description Whether one run may open several issues on a device. */
            readonly requires_primary_key: boolean;
            /** @description The column that tells the issues of one device apart; blank where there is one at most. */
            readonly primary_key_column: string;
            /** @description Whether the draft has been published, and the check of it is there. */
            readonly published: boolean;
            /** @description The check that the draft was made from or published as; blank when there is none. */
            readonly custom_check_id: string;
            /**
             * @description The query and its primary key: `missing` while something has to be filled in, `bad` while something is wrong, else `good`.
             * @enum {string}
             */
            readonly osquery_sql_status: "missing" | "bad" | "good";
            /**
             * @description What people read about a failure: `missing` while something has to be filled in, `bad` while something is wrong, else `good`.
             * @enum {string}
             */
            readonly notification_templates_status: "missing" | "bad" | "good";
            /**
             * @description Name, slug, description and platforms: `missing` while something has to be filled in, `bad` while something is wrong, else `good`.
             * @enum {string}
             */
            readonly details_status: "missing" | "bad" | "good";
            /**
             * @description What people read about the data that the check collects: `missing` while something has to be filled in, `bad` while something is wrong, else `good`.
             * @enum {string}
             */
            readonly privacy_center_details_status: "missing" | "bad" | "good";
            /** @description Whether every section is good. */
            readonly publishable: boolean;
            /**
             * Format: json
             * @description Rows that the templates are tried with, as JSON text of a list of objects.
             */
            readonly template_data_examples: string;
            /**
             * Format: json
             * @description Rows as the check collects them, as JSON text of a list of objects.
             */
            readonly privacy_center_example_data: string;
            /**
             * Format: date-time
             * @description When the draft was made.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the draft last changed or was published.
             */
            readonly updated_at: string;
        };
        /**
         * CustomCheckDraftPage
         * @description One page of a list.
         */
        readonly CustomCheckDraftPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["CustomCheckDraft"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * DeprovisionedPerson
         * @description Someone whom the identity provider has taken out of the organization.
         * @example {
         *       "id": "311",
         *       "name": "Tomas Okafor",
         *       "email": "tomas@acme.example",
         *       "created_at": "2025-02-03T08:30:00.000Z",
         *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
         *       "has_registered_device": false,
         *       "api_url": "https://muster.example.com/people/311"
         *     }
         */
        readonly DeprovisionedPerson: {
            /** @description Identifier of the person. */
            readonly id: string;
            /** @description Full name of the person. */
            readonly name: string;
            /** @description E-mail address of the person. */
            readonly email: string;
            /**
             * Format: date-time
             * @description When the person was first provisioned.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the person last signed in with a device; null if never.
             */
            readonly last_authenticated_at: string | null;
            /** @description Whether a device is registered to the person. */
            readonly has_registered_device: boolean;
            /**
             * Format: uri
             * @description Address of the record in this API.
             */
            readonly api_url: string;
        };
        /**
         * DeprovisionedPersonPage
         * @description One page of a list.
         */
        readonly DeprovisionedPersonPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["DeprovisionedPerson"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * Device
         * @description A computer, tablet or phone that people sign in with.
         * @example {
         *       "id": "1042",
         *       "name": "Tomas's MacBook Pro",
         *       "registered_at": "2026-03-02T10:11:12.000Z",
         *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
         *       "last_seen_at": "2026-11-20T09:13:55.018Z",
         *       "registered_owner_info": {
         *         "identifier": "311",
         *         "link": "https://muster.example.com/people/311"
         *       },
         *       "operating_system": "macOS 26.1",
         *       "hardware_model": "MacBook Pro (14-inch, 2025)",
         *       "serial": "C02XL0GTJGH5",
         *       "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
         *       "note": null,
         *       "auth_state": "Will Block",
         *       "will_block_at": "2026-11-24T09:00:00.000Z",
         *       "product_image_url": null,
         *       "auth_configuration": {
         *         "device_id": "1042",
         *         "authentication_mode": "only_registered_owner_or_group_members",
         *         "person_groups": [
         *           {
         *             "id": "27",
         *             "name": "Finance"
         *           }
         *         ]
         *       },
         *       "device_type": "Mac",
         *       "form_factor": "computer",
         *       "registration_suspended_at": null,
         *       "agent_version": "5.19.0",
         *       "enrolled_at": "2026-03-02T09:58:40.000Z",
         *       "identity_conflict_since": null
         *     }
         */
        readonly Device: {
            /** @description Identifier of the device. */
            readonly id: string;
            /** @description Name of the device. */
            readonly name: string;
            /**
             * Format: date-time
             * @description When its owner registered the device; null when it is unregistered.
             */
            readonly registered_at: string | null;
            /**
             * Format: date-time
             * @description When someone last signed in with the device; null if never.
             */
            readonly last_authenticated_at: string | null;
            /**
             * Format: date-time
             * @description When the device last spoke to the service after it enrolled; null if never.
             */
            readonly last_seen_at: string | null;
            /** @description The person the device is registered to. */
            readonly registered_owner_info: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description Name and version of the operating system; null until the device has reported it. */
            readonly operating_system: string | null;
            /** @description Model of the hardware; null until the device has reported it. */
            readonly hardware_model: string | null;
            /** @description Serial number of the hardware; null where it has none. */
            readonly serial: string | null;
            /** @description Unique identifier of the hardware; null where it has none. */
            readonly hardware_uuid: string | null;
            /** @description What administrators wrote about the device; null when they wrote nothing. */
            readonly note: string | null;
            /**
             * @description What the open issues of the device mean for signing in with it.
             * @enum {string}
             */
            readonly auth_state: "Will Block" | "Blocked" | "Notified" | "Good";
            /**
             * Format: date-time
             * @description When the device will be blocked if nothing changes; null unless it will block.
             */
            readonly will_block_at: string | null;
            /**
             * Format: uri
             * @description Address of a picture of the model; null when there is none.
             */
            readonly product_image_url: string | null;
            /** @description Who may sign in with the device; null when it is unregistered. */
            readonly auth_configuration: components["schemas"]["DeviceAuthenticationMode"] | null;
            /**
             * @description The platform of the device.
             * @enum {string}
             */
            readonly device_type: "Mac" | "Linux" | "Windows" | "iOS" | "Android";
            /**
             * @description Whether the device is a computer, a tablet or a phone.
             * @enum {string}
             */
            readonly form_factor: "computer" | "tablet" | "phone";
            /**
             * Format: date-time
             * @description Since when the registration is suspended, because an agent enrolled as the device that may not be its own; null when it is not. Nobody signs in with the device then, and its state gets no better, until its owner or an administrator confirms the registration.
             */
            readonly registration_suspended_at: string | null;
            /** @description Version of the agent on the device; null until the device has reported it. */
            readonly agent_version: string | null;
            /**
             * Format: date-time
             * @description When an agent last enrolled as the device; null if none has.
             */
            readonly enrolled_at: string | null;
            /**
             * Format: date-time
             * @description Since when two agents take turns enrolling as the device, as cloned machines do; null when none do.
             */
            readonly identity_conflict_since: string | null;
        };
        /**
         * DeviceAuthenticationMode
         * @description Who may sign in with a device.
         * @example {
         *       "device_id": "1042",
         *       "authentication_mode": "only_registered_owner_or_group_members",
         *       "person_groups": [
         *         {
         *           "id": "27",
         *           "name": "Finance"
         *         }
         *       ]
         *     }
         */
        readonly DeviceAuthenticationMode: {
            /** @description The device that this is about. */
            readonly device_id: string;
            /**
             * @description Whether only the owner, also members of some groups, or anyone may sign in with the device.
             * @enum {string}
             */
            readonly authentication_mode: "only_registered_owner" | "only_registered_owner_or_group_members" | "anyone";
            /** @description The groups whose members may sign in beside the owner; empty in the other modes. */
            readonly person_groups: readonly components["schemas"]["PersonGroup"][];
        };
        /**
         * DeviceAuthenticationModeRequest
         * @description Who can sign in with a device.
         * @example {
         *       "authentication_mode": "only_registered_owner_or_group_members",
         *       "person_group_ids": [
         *         "27",
         *         31
         *       ]
         *     }
         */
        readonly DeviceAuthenticationModeRequest: {
            /**
             * @description Whether only the owner, also members of some groups, or anyone may sign in with the device.
             * @enum {string}
             */
            readonly authentication_mode: "only_registered_owner" | "only_registered_owner_or_group_members" | "anyone";
            /** @description The groups whose members may sign in; ignored unless the mode is `only_registered_owner_or_group_members`. */
            readonly person_group_ids?: readonly (string | number)[];
        };
        /**
         * DeviceGroup
         * @description A group of devices that checks may target or leave out.
         * @example {
         *       "id": "8",
         *       "created_at": "2026-01-15T13:20:00.000Z",
         *       "name": "Early adopters",
         *       "description": "Gets new checks a week before everyone else.",
         *       "members_count": 34
         *     }
         */
        readonly DeviceGroup: {
            /** @description Identifier of the group. */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the group was made.
             */
            readonly created_at: string;
            /** @description Name of the group. */
            readonly name: string;
            /** @description What the group is for; null when nobody said. */
            readonly description: string | null;
            /** @description How many devices are in the group. */
            readonly members_count: number;
        };
        /**
         * DeviceGroupMembership
         * @description Which devices were added to a device group or removed from it.
         * @example {
         *       "device_id": "1042",
         *       "group_id": "8",
         *       "data": [
         *         {
         *           "device_id": "1042",
         *           "group_id": "8"
         *         },
         *         {
         *           "device_id": "1043",
         *           "group_id": "8"
         *         }
         *       ]
         *     }
         */
        readonly DeviceGroupMembership: {
            /** @description The device that was added or removed; the first one if the request names several. */
            readonly device_id: string;
            /** @description The group that the device was added to or removed from. */
            readonly group_id: string;
            /** @description Every device of the request, in its order and without repeats, including those that were in the group before. An addition to the contract. */
            readonly data: readonly {
                /** @description A device of the request. */
                readonly device_id: string;
                /** @description The group. */
                readonly group_id: string;
            }[];
        };
        /**
         * DeviceGroupMembershipRequest
         * @description Devices to add to a group.
         * @example {
         *       "device_ids": [
         *         "1042",
         *         1043
         *       ]
         *     }
         */
        readonly DeviceGroupMembershipRequest: {
            /** @description The devices to add; either all of them are added or none. */
            readonly device_ids: readonly (string | number)[];
        };
        /**
         * DeviceGroupPage
         * @description One page of a list.
         */
        readonly DeviceGroupPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["DeviceGroup"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * DevicePage
         * @description One page of a list.
         */
        readonly DevicePage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["Device"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * DeviceRegistration
         * @description That a device belongs to a person.
         * @example {
         *       "device_id": "1042",
         *       "registered_at": "2026-03-02T10:11:12.000Z",
         *       "registered_owner_info": {
         *         "identifier": "311",
         *         "link": "https://muster.example.com/people/311"
         *       },
         *       "device_info": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       }
         *     }
         */
        readonly DeviceRegistration: {
            /** @description The registered device. */
            readonly device_id: string;
            /**
             * Format: date-time
             * @description When the device was registered.
             */
            readonly registered_at: string;
            /** @description The owner of the device. */
            readonly registered_owner_info: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The registered device. */
            readonly device_info: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
        };
        /**
         * DeviceRegistrationRequest
         * @description The owner of a device, by exactly one of `person_id` and `person_email`.
         * @example {
         *       "person_email": "tomas@acme.example"
         *     }
         */
        readonly DeviceRegistrationRequest: {
            /** @description The person who becomes the owner. */
            readonly person_id?: string | number;
            /** @description E-mail address of the person who becomes the owner. */
            readonly person_email?: string;
        };
        /**
         * Error
         * @description Why a request was refused or failed.
         * @example {
         *       "error": "permission_missing",
         *       "message": "This key lacks the permission Remove Devices."
         *     }
         */
        readonly Error: {
            /**
             * @description What went wrong, as a code that programs may rely on.
             * @enum {string}
             */
            readonly error: "malformed_request" | "malformed_json" | "unknown_api_version" | "bad_cursor" | "unauthorized" | "feature_unavailable" | "permission_missing" | "not_found" | "method_not_allowed" | "api_version_gone" | "body_too_large" | "unsupported_media_type" | "invalid" | "search_invalid" | "device_not_registered" | "check_not_external" | "check_not_refreshable" | "request_decided" | "request_withdrawn" | "already_requested" | "already_registered" | "not_device_owner" | "exemptions_disallowed" | "snooze_disallowed" | "already_snoozed" | "delivery_pending" | "endpoint_disabled" | "secret_overlapping" | "rate_limited" | "internal" | "unavailable";
            /** @description What went wrong, as a sentence for people; its wording may change. */
            readonly message: string;
        };
        /**
         * ExemptionRequest
         * @description That the owner of a device asks for issues to be exempted.
         * @example {
         *       "id": "87",
         *       "status": "denied",
         *       "internal_explanation": "The build server is no exception.",
         *       "denial_explanation": "Please move the key into the agent; the help desk shows you how.",
         *       "requested_at": "2026-11-20T09:14:03.120Z",
         *       "requester_message": "The deployment needs this key without a passphrase.",
         *       "requester_information": {
         *         "identifier": "311",
         *         "link": "https://muster.example.com/people/311"
         *       },
         *       "device_information": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "issues": [
         *         {
         *           "identifier": "7719",
         *           "link": "https://muster.example.com/issues/7719"
         *         }
         *       ]
         *     }
         */
        readonly ExemptionRequest: {
            /** @description Identifier of the request. */
            readonly id: string;
            /**
             * @description What has become of the request.
             * @enum {string}
             */
            readonly status: "open" | "withdrawn" | "approved" | "denied";
            /** @description What the administrator who decided noted for other administrators; null until someone has decided. */
            readonly internal_explanation: string | null;
            /** @description Why the request was denied, for the requester; null unless it was. */
            readonly denial_explanation: string | null;
            /**
             * Format: date-time
             * @description When the request was made.
             */
            readonly requested_at: string;
            /** @description Why the requester asks for the exemption. */
            readonly requester_message: string;
            /** @description The person who made the request. */
            readonly requester_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The device that has the issues. */
            readonly device_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The issues to exempt. */
            readonly issues: readonly {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            }[];
        };
        /**
         * ExemptionRequestDecision
         * @description The decision on an open exemption request.
         * @example {
         *       "status": "approved",
         *       "internal_message": "Until the build server is replaced."
         *     }
         * @example {
         *       "status": "denied",
         *       "internal_message": "The build server is no exception.",
         *       "denial_explanation": "Please move the key into the agent; the help desk shows you how."
         *     }
         */
        readonly ExemptionRequestDecision: {
            /**
             * @description What is decided.
             * @enum {string}
             */
            readonly status: "approved" | "denied";
            /** @description A note for other administrators. */
            readonly internal_message: string;
            /** @description Why the request is denied, for the requester; needed when it is denied. */
            readonly denial_explanation?: string | null;
        };
        /**
         * ExemptionRequestPage
         * @description One page of a list.
         */
        readonly ExemptionRequestPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["ExemptionRequest"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * ExternalCheckRun
         * @description A result that was reported from outside.
         * @example {
         *       "check_id": "203",
         *       "device_id": "1042",
         *       "status": "PASS",
         *       "check_data": "{\"vendor\":\"Acme MDM\",\"enrolled\":true,\"KOLIDE_CHECK_STATUS\":\"PASS\"}",
         *       "person_id": null,
         *       "person_name": null,
         *       "person_email": null
         *     }
         */
        readonly ExternalCheckRun: {
            /** @description The check that the result belongs to. */
            readonly check_id: string;
            /** @description The device that the result is about; null when it is about a person. */
            readonly device_id: string | null;
            /**
             * @description What the rows say together.
             * @enum {string}
             */
            readonly status: "FAIL" | "PASS" | "UNKNOWN" | "INAPPLICABLE" | "ERROR";
            /**
             * Format: json
             * @description The rows as they were sent, as JSON text.
             */
            readonly check_data: string;
            /** @description The person that the result is about; null when it is about a device. */
            readonly person_id: string | null;
            /** @description Name of that person; null when the result is about a device. */
            readonly person_name: string | null;
            /** @description E-mail address of that person; null when the result is about a device. */
            readonly person_email: string | null;
        };
        /**
         * ExternalCheckRunRequest
         * @description A result of an external check, for exactly one of `device_id`, `person_id` and `person_email`.
         * @example {
         *       "device_id": "1042",
         *       "check_data": {
         *         "vendor": "Acme MDM",
         *         "enrolled": true,
         *         "KOLIDE_CHECK_STATUS": "PASS"
         *       }
         *     }
         */
        readonly ExternalCheckRunRequest: {
            /** @description The device that the result is about. */
            readonly device_id?: string | number;
            /** @description The person whose registered devices the result is about. */
            readonly person_id?: string | number;
            /** @description E-mail address of the person whose registered devices the result is about. */
            readonly person_email?: string;
            /** @description One row or an array of rows, or JSON text of either; each row has a `KOLIDE_CHECK_STATUS`. */
            readonly check_data: string | {
                readonly [key: string]: unknown;
            } | readonly {
                readonly [key: string]: unknown;
            }[];
        };
        /**
         * FieldError
         * @description One error in a request, and where it is.
         * @example {
         *       "field": "per_page",
         *       "message": "must be at most 100"
         *     }
         */
        readonly FieldError: {
            /** @description Path of the member or name of the parameter, such as `device_ids/0` or `per_page`; blank for the whole. */
            readonly field: string;
            /** @description What is wrong with it, as a sentence for people. */
            readonly message: string;
        };
        /**
         * Issue
         * @description A failure of a check on a device.
         * @example {
         *       "id": "7719",
         *       "issue_key": "path",
         *       "issue_value": "/Users/tomas/.ssh/id_ed25519",
         *       "title": "Unencrypted SSH key",
         *       "value": {
         *         "path": "/Users/tomas/.ssh/id_ed25519",
         *         "encrypted": "0",
         *         "KOLIDE_CHECK_STATUS": "FAIL"
         *       },
         *       "exempted": false,
         *       "resolved_at": null,
         *       "detected_at": "2026-11-17T09:00:00.000Z",
         *       "blocks_device_at": "2026-11-24T09:00:00.000Z",
         *       "device_information": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "check_information": {
         *         "identifier": "57",
         *         "link": "https://muster.example.com/checks/57"
         *       },
         *       "last_rechecked_at": "2026-11-20T08:41:12.633Z"
         *     }
         */
        readonly Issue: {
            /** @description Identifier of the issue. */
            readonly id: string;
            /** @description Name of the column that tells the issues of one check apart; null for single-row checks. */
            readonly issue_key: string | null;
            /** @description Value of that column in this issue; null for single-row checks. */
            readonly issue_value: string | null;
            /** @description What is wrong, in a few words. */
            readonly title: string;
            /** @description The row that failed, with `KOLIDE_CHECK_STATUS` among its values. */
            readonly value: {
                readonly [key: string]: string;
            };
            /** @description Whether the issue is exempted and so does not block. */
            readonly exempted: boolean;
            /**
             * Format: date-time
             * @description When the issue was resolved; null while it is open.
             */
            readonly resolved_at: string | null;
            /**
             * Format: date-time
             * @description When the issue was first found.
             */
            readonly detected_at: string;
            /**
             * Format: date-time
             * @description When the issue blocks the device, or began to; null when it never will.
             */
            readonly blocks_device_at: string | null;
            /** @description The device that has the issue. */
            readonly device_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The check that found the issue. */
            readonly check_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /**
             * Format: date-time
             * @description When the check last looked again; null until it has.
             */
            readonly last_rechecked_at: string | null;
        };
        /**
         * IssuePage
         * @description One page of a list.
         */
        readonly IssuePage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["Issue"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * JsonWebKeySet
         * @description Public keys that verify event tokens (RFC 7517).
         * @example {
         *       "keys": [
         *         {
         *           "kty": "RSA",
         *           "kid": "0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *           "use": "sig",
         *           "alg": "RS256",
         *           "n": "3F6…",
         *           "e": "AQAB"
         *         }
         *       ]
         *     }
         */
        readonly JsonWebKeySet: {
            /** @description Every key that a token on its way may be signed with, and those that will sign soon. */
            readonly keys: readonly {
                /** @description Type of the key: `RSA`. */
                readonly kty: string;
                /** @description Name of the key, which the header of a token repeats. */
                readonly kid: string;
                /** @description What the key is for: `sig`. */
                readonly use: string;
                /** @description How it signs: `RS256`. */
                readonly alg: string;
                /** @description Modulus, in base64url. */
                readonly n: string;
                /** @description Exponent, in base64url. */
                readonly e: string;
            }[];
        };
        /**
         * LiveQueryCampaign
         * @description One osquery statement that chosen devices run as soon as they are online.
         * @example {
         *       "id": "81",
         *       "name": "Who listens on port 22",
         *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
         *       "created_at": "2026-11-20T09:14:03.120Z",
         *       "published": true,
         *       "revision": 1,
         *       "tables_used": [
         *         "listening_ports"
         *       ],
         *       "successful_devices_count": 231,
         *       "errored_devices_count": 2,
         *       "waiting_devices_count": 17
         *     }
         */
        readonly LiveQueryCampaign: {
            /** @description Identifier of the campaign. */
            readonly id: string;
            /** @description Name of the campaign. */
            readonly name: string;
            /** @description The osquery SQL that devices run. */
            readonly osquery_sql: string;
            /**
             * Format: date-time
             * @description When the campaign was made.
             */
            readonly created_at: string;
            /** @description Whether everyone who may read sees the campaign; so it is for all that are made through the API. */
            readonly published: boolean;
            /** @description Starts at 1 and grows by one whenever the SQL or the targets change and devices run it again. */
            readonly revision: number;
            /** @description The osquery tables that the SQL reads, sorted. */
            readonly tables_used: readonly string[];
            /** @description How many devices have answered with rows or with none. */
            readonly successful_devices_count: number;
            /** @description How many devices could not run the SQL, or did not come online in time. */
            readonly errored_devices_count: number;
            /** @description How many devices have not answered yet. */
            readonly waiting_devices_count: number;
        };
        /**
         * LiveQueryCampaignChange
         * @description What to change of a live query; what is left out stays.
         * @example {
         *       "sql": "SELECT pid, address FROM listening_ports WHERE port = 2222"
         *     }
         */
        readonly LiveQueryCampaignChange: {
            /** @description Devices that run the SQL, in addition to those of the other targets. */
            readonly targeted_device_ids?: readonly (string | number)[];
            /** @description Whether all computers run the SQL. */
            readonly target_all_devices?: boolean;
            /** @description Whether all Macs run the SQL. */
            readonly target_macs?: boolean;
            /** @description Whether all Windows computers run the SQL. */
            readonly target_windows_devices?: boolean;
            /** @description Whether all Linux computers run the SQL. */
            readonly target_linux_devices?: boolean;
            /** @description One SELECT statement of osquery; tables that the operator has blocked are refused. */
            readonly sql?: string;
            /** @description What to call the campaign. */
            readonly name?: string;
        };
        /**
         * LiveQueryCampaignPage
         * @description One page of a list.
         */
        readonly LiveQueryCampaignPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["LiveQueryCampaign"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * LiveQueryCampaignRequest
         * @description A live query and the devices that run it; at least one device must be targeted.
         * @example {
         *       "targeted_device_ids": [
         *         "1042",
         *         1043
         *       ],
         *       "target_linux_devices": true,
         *       "sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
         *       "name": "Who listens on port 22"
         *     }
         */
        readonly LiveQueryCampaignRequest: {
            /** @description Devices that run the SQL, in addition to those of the other targets. */
            readonly targeted_device_ids?: readonly (string | number)[];
            /** @description Whether all computers run the SQL. */
            readonly target_all_devices?: boolean;
            /** @description Whether all Macs run the SQL. */
            readonly target_macs?: boolean;
            /** @description Whether all Windows computers run the SQL. */
            readonly target_windows_devices?: boolean;
            /** @description Whether all Linux computers run the SQL. */
            readonly target_linux_devices?: boolean;
            /** @description One SELECT statement of osquery; tables that the operator has blocked are refused. */
            readonly sql: string;
            /** @description What to call the campaign; without it, the first 100 characters of the SQL. */
            readonly name?: string;
        };
        /**
         * LiveQueryResult
         * @description What one device answered to a live query.
         * @example {
         *       "id": "90017",
         *       "result_count": "1",
         *       "kept_count": "1",
         *       "rows_url": "https://muster.example.com/live_query_campaigns/81/query_results/90017/rows",
         *       "error_message": null,
         *       "revision": 1,
         *       "warning_message": null,
         *       "device_information": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "results": [
         *         {
         *           "pid": "812",
         *           "address": "0.0.0.0"
         *         }
         *       ]
         *     }
         */
        readonly LiveQueryResult: {
            /** @description Identifier of the result. */
            readonly id: string;
            /** @description How many rows the device returned, as decimal digits; `results` may hold fewer. */
            readonly result_count: string;
            /** @description How many of them are kept, as decimal digits; `rows_url` has them all. */
            readonly kept_count: string;
            /**
             * Format: uri
             * @description Address of the list of all rows that are kept.
             */
            readonly rows_url: string;
            /** @description Why the device has no rows to show; null when it ran the SQL. */
            readonly error_message: string | null;
            /** @description The revision of the campaign that the device ran. */
            readonly revision: number;
            /** @description What was left out of `results`; null when they are whole. */
            readonly warning_message: string | null;
            /** @description The device that answered. */
            readonly device_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The first rows that the device returned: at most 1,000, and 100,000 characters of JSON. */
            readonly results: readonly {
                readonly [key: string]: string;
            }[];
        };
        /**
         * LiveQueryResultPage
         * @description One page of a list.
         */
        readonly LiveQueryResultPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["LiveQueryResult"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * LiveQueryRows
         * @description Rows of what one device answered to a live query.
         * @example {
         *       "id": "1",
         *       "results": [
         *         {
         *           "pid": "812",
         *           "address": "0.0.0.0"
         *         }
         *       ]
         *     }
         */
        readonly LiveQueryRows: {
            /** @description Number of the first of these rows; those of a result count from 1. */
            readonly id: string;
            /** @description Rows, in the order of the device. */
            readonly results: readonly {
                readonly [key: string]: string;
            }[];
        };
        /**
         * LiveQueryRowsPage
         * @description One page of a list.
         */
        readonly LiveQueryRowsPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["LiveQueryRows"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * Package
         * @description What you install on a device so that it enrolls. `agent`, `platform`, `format`, `file_name` and `problem` are extensions of this API.
         * @example {
         *       "built_at": "2026-11-20T09:14:03.120Z",
         *       "id": "3",
         *       "url": "https://trust.example.com/package_downloads/3",
         *       "version": "0.1.0-1",
         *       "agent": "osquery",
         *       "platform": "linux",
         *       "format": "deb",
         *       "file_name": "muster-osquery_0.1.0-1_all.deb",
         *       "problem": null
         *     }
         */
        readonly Package: {
            /**
             * Format: date-time
             * @description When this version of the package was made.
             */
            readonly built_at: string;
            /** @description Identifier of the package; it stays the same from version to version. */
            readonly id: string;
            /**
             * Format: uri
             * @description Where the file is downloaded, with an API key.
             */
            readonly url: string;
            /** @description Version of the product and, after the hyphen, how often the package was made. */
            readonly version: string;
            /**
             * @description Whether the package configures an installed osquery, or brings Muster’s own agent along.
             * @enum {string}
             */
            readonly agent: "osquery" | "muster_agent";
            /**
             * @description The platform that the package is for.
             * @enum {string}
             */
            readonly platform: "darwin" | "linux" | "windows";
            /**
             * @description A Debian package, an archive with an install script, a shell script, or a PowerShell script.
             * @enum {string}
             */
            readonly format: "deb" | "tar.gz" | "sh" | "ps1";
            /** @description What the downloaded file is called. */
            readonly file_name: string;
            /** @description Why devices cannot enroll with this package, or only some, as a sentence; null where all can. */
            readonly problem: string | null;
        };
        /**
         * PackagePage
         * @description One page of a list.
         */
        readonly PackagePage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["Package"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * Pagination
         * @description Where this page stands in the list and how to continue.
         * @example {
         *       "next": "https://muster.example.com/devices?cursor=eyJhIjoiMTA0MiJ9&per_page=25",
         *       "current_cursor": "",
         *       "next_cursor": "eyJhIjoiMTA0MiJ9",
         *       "count": 25
         *     }
         */
        readonly Pagination: {
            /** @description Full address of the next page; blank on the last one. */
            readonly next: string;
            /** @description The cursor that gave this page; blank on the first one. */
            readonly current_cursor: string;
            /** @description The cursor of the next page; blank on the last one. */
            readonly next_cursor: string;
            /** @description How many records this page holds. */
            readonly count: number;
        };
        /**
         * Person
         * @description Someone who signs in with devices of the organization.
         * @example {
         *       "id": "311",
         *       "name": "Tomas Okafor",
         *       "email": "tomas@acme.example",
         *       "created_at": "2025-02-03T08:30:00.000Z",
         *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
         *       "has_registered_device": true,
         *       "usernames": [
         *         "tomas",
         *         "tomas@acme.example"
         *       ]
         *     }
         */
        readonly Person: {
            /** @description Identifier of the person. */
            readonly id: string;
            /** @description Full name of the person. */
            readonly name: string;
            /** @description E-mail address of the person. */
            readonly email: string;
            /**
             * Format: date-time
             * @description When the person was first provisioned.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the person last signed in with a device; null if never.
             */
            readonly last_authenticated_at: string | null;
            /** @description Whether a device is registered to the person. */
            readonly has_registered_device: boolean;
            /** @description Names by which the identity provider knows the person. */
            readonly usernames: readonly string[];
        };
        /**
         * PersonGroup
         * @description A group of people, kept by the identity provider.
         * @example {
         *       "id": "27",
         *       "name": "Finance"
         *     }
         */
        readonly PersonGroup: {
            /** @description Identifier of the group. */
            readonly id: string;
            /** @description Name of the group at the identity provider. */
            readonly name: string;
        };
        /**
         * PersonGroupPage
         * @description One page of a list.
         */
        readonly PersonGroupPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["PersonGroup"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * PersonPage
         * @description One page of a list.
         */
        readonly PersonPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["Person"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * RegistrationRequest
         * @description That a person asks for a device to be registered to them.
         * @example {
         *       "id": "58",
         *       "status": "approved",
         *       "requester_message": "My new laptop.",
         *       "internal_denial_note": null,
         *       "internal_approval_note": "Bought on order 4711.",
         *       "requested_at": "2026-11-20T09:14:03.120Z",
         *       "end_user_denial_note": null,
         *       "requester_information": {
         *         "identifier": "311",
         *         "link": "https://muster.example.com/people/311"
         *       },
         *       "device_information": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       }
         *     }
         */
        readonly RegistrationRequest: {
            /** @description Identifier of the request. */
            readonly id: string;
            /**
             * @description What has become of the request.
             * @enum {string}
             */
            readonly status: "pending" | "approved" | "denied";
            /** @description What the requester wrote. */
            readonly requester_message: string;
            /** @description What the administrator who denied it noted for other administrators; null unless someone did. */
            readonly internal_denial_note: string | null;
            /** @description What the administrator who approved it noted for other administrators; null unless someone did. */
            readonly internal_approval_note: string | null;
            /**
             * Format: date-time
             * @description When the request was made.
             */
            readonly requested_at: string;
            /** @description Why the request was denied, for the requester; null unless it was. */
            readonly end_user_denial_note: string | null;
            /** @description The person who wants the device registered to them. */
            readonly requester_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /** @description The device that is to be registered. */
            readonly device_information: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
        };
        /**
         * RegistrationRequestDecision
         * @description The decision on a pending registration request.
         * @example {
         *       "status": "approved",
         *       "internal_message": "Bought on order 4711."
         *     }
         * @example {
         *       "status": "denied",
         *       "end_user_denial_message": "Please use the laptop that we gave you."
         *     }
         */
        readonly RegistrationRequestDecision: {
            /**
             * @description What is decided.
             * @enum {string}
             */
            readonly status: "approved" | "denied";
            /** @description A note for other administrators. */
            readonly internal_message?: string | null;
            /** @description Deprecated name of `internal_message`; read only when the request is denied without one. */
            readonly internal_denial_reason?: string | null;
            /** @description Why the request is denied, for the requester; needed when it is denied. */
            readonly end_user_denial_message?: string | null;
        };
        /**
         * RegistrationRequestPage
         * @description One page of a list.
         */
        readonly RegistrationRequestPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["RegistrationRequest"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * ReportingQuery
         * @description SQL that administrators wrote over the reporting tables, and the first rows of its latest run.
         * @example {
         *       "id": "12",
         *       "name": "Devices by failing checks",
         *       "osquery_sql": "select device_id, device_name, count(*) as failing_checks from check_results where status = 'failing' group by 1, 2",
         *       "result_count": 1,
         *       "results_truncated": false,
         *       "results_updated_at": "2026-11-20T04:00:00.000Z",
         *       "error_message": null,
         *       "created_at": "2026-01-15T13:20:00.000Z",
         *       "results": [
         *         {
         *           "device_id": "1042",
         *           "device_name": "Tomas's MacBook Pro",
         *           "failing_checks": 3
         *         }
         *       ]
         *     }
         */
        readonly ReportingQuery: {
            /** @description Identifier of the query. */
            readonly id: string;
            /** @description Name of the query. */
            readonly name: string;
            /** @description The SQL, in the dialect of PostgreSQL, over the reporting tables. */
            readonly osquery_sql: string;
            /** @description How many rows the latest run gave. */
            readonly result_count: number;
            /** @description Whether the latest run had more rows than are kept: 10,000, or 5 MB of them. */
            readonly results_truncated: boolean;
            /**
             * Format: date-time
             * @description When the rows were read; null until a run succeeded.
             */
            readonly results_updated_at: string | null;
            /** @description Why the last attempt to run the query failed; null when it did not. The rows are those of the run before. */
            readonly error_message: string | null;
            /**
             * Format: date-time
             * @description When the query was made.
             */
            readonly created_at: string;
            /** @description The first rows of the latest run: at most 1,000, and no more than keep the answer below 2 MB; the queries of a list share 400 kB alike. Left out with `omit_results`. */
            readonly results?: readonly components["schemas"]["ReportingQueryResult"][];
        };
        /**
         * ReportingQueryPage
         * @description One page of a list.
         */
        readonly ReportingQueryPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["ReportingQuery"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * ReportingQueryResult
         * @description A row of a reporting query: whatever columns its SQL has.
         * @example {
         *       "device_id": "1042",
         *       "device_name": "Tomas's MacBook Pro",
         *       "failing_checks": 3
         *     }
         */
        readonly ReportingQueryResult: {
            readonly [key: string]: unknown;
        };
        /**
         * ReportingQueryResultPage
         * @description One page of a list.
         */
        readonly ReportingQueryResultPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["ReportingQueryResult"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * ReportingTable
         * @description A table of the organization that its records can be read from and reporting queries can be written over.
         * @example {
         *       "name": "device_uptime",
         *       "category": "System",
         *       "description": "For how many days the device has been running.",
         *       "column_names": [
         *         "device_id",
         *         "device_name",
         *         "taken_at",
         *         "days"
         *       ],
         *       "searchable_fields": [
         *         "device_id"
         *       ],
         *       "documentation_url": "https://muster.example/docs/reporting#device_uptime"
         *     }
         */
        readonly ReportingTable: {
            /** @description Name of the table, in SQL as well. */
            readonly name: string;
            /** @description What the table is about. */
            readonly category: string;
            /** @description What the table holds. */
            readonly description: string;
            /** @description The columns, in their order. */
            readonly column_names: readonly string[];
            /** @description The columns that the records of the table can be searched by. */
            readonly searchable_fields: readonly string[];
            /**
             * Format: uri
             * @description Address of a description of the table and its columns.
             */
            readonly documentation_url: string;
        };
        /**
         * ReportingTablePage
         * @description One page of a list.
         */
        readonly ReportingTablePage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["ReportingTable"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * SsfCheckpoint
         * @description A proof of which devices are not compliant, at an exact place in a stream.
         * @example {
         *       "sequence": 731,
         *       "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *       "blocked_devices_count": 0,
         *       "settled": true,
         *       "at": "2026-11-20T09:14:03.120Z",
         *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl"
         *     }
         */
        readonly SsfCheckpoint: {
            /** @description The place in the stream that this stands at: it contains every event up to this one, and none after it. */
            readonly sequence: number;
            /** @description SHA-256 in hexadecimal over the identifiers of all devices that are not compliant, in ascending numeric order, each followed by a line feed. */
            readonly digest: string;
            /** @description How many devices the digest is over. */
            readonly blocked_devices_count: number;
            /** @description Whether no change of a device waited for the receiver then; while one does, compare later. */
            readonly settled: boolean;
            /**
             * Format: date-time
             * @description When it was taken.
             */
            readonly at: string;
            /** @description The same as a signed token of the type `muster-checkpoint+jwt`, for the receiver of the stream. */
            readonly token: string;
        };
        /**
         * SsfConfiguration
         * @description What a receiver needs to know about this transmitter (SSF 1.0 §7.1).
         * @example {
         *       "spec_version": "1_0",
         *       "issuer": "https://muster.example.com",
         *       "jwks_uri": "https://muster.example.com/ssf/jwks.json",
         *       "delivery_methods_supported": [
         *         "urn:ietf:rfc:8935",
         *         "urn:ietf:rfc:8936"
         *       ],
         *       "events_supported": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
         *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
         *       ],
         *       "configuration_endpoint": "https://muster.example.com/ssf_streams",
         *       "status_endpoint": "https://muster.example.com/ssf_streams/status",
         *       "verification_endpoint": "https://muster.example.com/ssf_streams/verify",
         *       "authorization_schemes": [
         *         {
         *           "spec_urn": "urn:ietf:rfc:6750"
         *         },
         *         {
         *           "spec_urn": "urn:ietf:rfc:6749"
         *         }
         *       ],
         *       "default_subjects": "ALL"
         *     }
         */
        readonly SsfConfiguration: {
            /** @description The version of the Shared Signals Framework: `1_0`. */
            readonly spec_version: string;
            /**
             * Format: uri
             * @description Issuer of all tokens: the base address of the service.
             */
            readonly issuer: string;
            /**
             * Format: uri
             * @description Where the public keys are.
             */
            readonly jwks_uri: string;
            /** @description How events can be delivered. */
            readonly delivery_methods_supported: readonly string[];
            /** @description What streams can report. */
            readonly events_supported: readonly string[];
            /**
             * Format: uri
             * @description Where streams are made, read, changed and deleted.
             */
            readonly configuration_endpoint: string;
            /**
             * Format: uri
             * @description Where streams are turned on and off.
             */
            readonly status_endpoint: string;
            /**
             * Format: uri
             * @description Where a verification event is asked for.
             */
            readonly verification_endpoint: string;
            /** @description How requests prove who they are from: with a bearer token, which OAuth 2.0 can give. */
            readonly authorization_schemes: readonly {
                /** @description The specification of the scheme. */
                readonly spec_urn: string;
            }[];
            /** @description `ALL`: a new stream covers everyone. */
            readonly default_subjects: string;
        };
        /**
         * SsfPoll
         * @description A poll for event tokens (RFC 8936 §2.4). With `ack` or `setErrs`, and neither `maxEvents` nor `returnImmediately`, it only acknowledges. Other members are passed over.
         * @example {
         *       "ack": [
         *         "5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11"
         *       ],
         *       "maxEvents": 100,
         *       "returnImmediately": true
         *     }
         */
        readonly SsfPoll: {
            /** @description Tokens wanted at most: 100 unless told otherwise, never more than 1,000. 0 only acknowledges. */
            readonly maxEvents?: number;
            /** @description Whether to answer at once; otherwise up to 30 seconds pass until something is new. */
            readonly returnImmediately?: boolean;
            /** @description Tokens that have been taken in: they never come again. Unknown ones are passed over. */
            readonly ack?: readonly string[];
            /** @description Tokens that cannot be taken in, each with what is wrong: they do not come again either. */
            readonly setErrs?: {
                readonly [key: string]: {
                    readonly err: string;
                    readonly description?: string;
                };
            };
        };
        /**
         * SsfPollAnswer
         * @description Event tokens that have not been acknowledged (RFC 8936 §2.4.1).
         * @example {
         *       "sets": {
         *         "5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11": "eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9…"
         *       }
         *     }
         */
        readonly SsfPollAnswer: {
            /** @description Signed event tokens by their identifiers; empty when there is nothing. */
            readonly sets: {
                readonly [key: string]: string;
            };
            /** @description True when more is there already; left out otherwise. */
            readonly moreAvailable?: boolean;
        };
        /**
         * SsfPollTokenRotation
         * @description How to replace the token that a receiver polls with.
         * @example {
         *       "mode": "overlap",
         *       "overlap_seconds": 3600
         *     }
         */
        readonly SsfPollTokenRotation: {
            /**
             * @description `overlap`: a new token, and the previous ones stay valid for some time; `immediate`: a new token alone; `disable`: none, which ends polling until a token is rotated in.
             * @enum {string}
             */
            readonly mode: "overlap" | "immediate" | "disable";
            /** @description With `overlap`: how long the previous tokens stay valid. */
            readonly overlap_seconds?: number;
        };
        /**
         * SsfReplay
         * @description What a replay did.
         * @example {
         *       "replayed_count": 218,
         *       "next_after_id": null
         *     }
         */
        readonly SsfReplay: {
            /** @description How many events wait for the receiver again. */
            readonly replayed_count: number;
            /** @description What to send as `after_id` for the rest, with the same `from` and `to`; null when that was all. */
            readonly next_after_id: string | null;
        };
        /**
         * SsfReplayRequest
         * @description Which events of a stream to send again: either `jtis`, or `from` and `to`, each a date or date-time.
         * @example {
         *       "from": "2026-11-20T09:00:00Z",
         *       "to": "2026-11-20T12:00:00Z",
         *       "states": [
         *         "rejected",
         *         "expired"
         *       ]
         *     }
         */
        readonly SsfReplayRequest: {
            /** @description Which events, by the identifiers of their tokens; those that are not in the ledger are ignored. */
            readonly jtis?: readonly string[];
            /** @description Instead of `jtis`: changes of devices that were queued from this moment on. */
            readonly from?: string;
            /** @description Instead of `jtis`: changes of devices that were queued before this moment. */
            readonly to?: string;
            /** @description With `from` and `to`: only events in one of these states; of all settled ones unless given. */
            readonly states?: readonly ("delivered" | "acknowledged" | "rejected" | "expired")[];
            /** @description With `from` and `to`: only entries after this one, from `next_after_id` of the answer before. */
            readonly after_id?: string | number;
        };
        /**
         * SsfSnapshot
         * @description Where devices stand, at an exact place in a stream.
         * @example {
         *       "sequence": 731,
         *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl",
         *       "devices": [
         *         {
         *           "device_id": "1042",
         *           "user_email": "ana@acme.example",
         *           "current_status": "not-compliant"
         *         }
         *       ],
         *       "pagination": {
         *         "next": "",
         *         "current_cursor": "",
         *         "next_cursor": "",
         *         "count": 1
         *       }
         *     }
         */
        readonly SsfSnapshot: {
            /** @description The place in the stream that this stands at: it contains every event up to this one, and none after it. */
            readonly sequence: number;
            /** @description This page as a signed token of the type `muster-snapshot+jwt`, for the receiver of the stream. */
            readonly token: string;
            /** @description What the token says, to read. */
            readonly devices: readonly {
                /** @description Identifier of the device. */
                readonly device_id: string;
                /** @description E-mail address of the person it is registered to; null when it is to nobody. */
                readonly user_email: string | null;
                /**
                 * @description What receivers last learned about it.
                 * @enum {string}
                 */
                readonly current_status: "compliant" | "not-compliant";
            }[];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * SsfStream
         * @description A stream of compliance signals to one receiver.
         * @example {
         *       "id": "31",
         *       "iss": "https://muster.example.com",
         *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *       "name": "Okta",
         *       "aud": "https://acme.okta.example",
         *       "delivery_type": "push",
         *       "spec_version": "v1_0",
         *       "enabled": true,
         *       "events_supported": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
         *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
         *       ],
         *       "events_requested": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
         *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
         *       ],
         *       "events_delivered": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
         *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
         *       ],
         *       "created_at": "2026-11-20T09:14:03.120Z",
         *       "updated_at": "2026-11-20T09:14:03.120Z",
         *       "delivery": {
         *         "method": "urn:ietf:rfc:8935",
         *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
         *       },
         *       "min_verification_interval": 1,
         *       "device_subject_format": "iss_sub",
         *       "health": {
         *         "state": "ok",
         *         "failing_since": null,
         *         "last_error": null,
         *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
         *       }
         *     }
         */
        readonly SsfStream: {
            /** @description Identifier of the stream. */
            readonly id: string;
            /**
             * Format: uri
             * @description Issuer of its tokens: the base address of the service.
             */
            readonly iss: string;
            /**
             * Format: uuid
             * @description Identifier of the stream, as its receiver knows it. Paths take either.
             */
            readonly stream_id: string;
            /** @description What the stream is called. */
            readonly name: string;
            /** @description An addition, when set: what the stream is for. */
            readonly description?: string;
            /** @description Who its tokens are for; null for poll streams that were made with the legacy body. */
            readonly aud: string | null;
            /**
             * @description Whether events are sent to the receiver, or fetched by it.
             * @enum {string}
             */
            readonly delivery_type: "push" | "poll";
            /**
             * @description How events name their subject: `v1_0` as `sub_id` of the token, `draft` inside of the event. Never changes.
             * @enum {string}
             */
            readonly spec_version: "v1_0" | "draft";
            /** @description Whether the stream is on. */
            readonly enabled: boolean;
            /** @description What a receiver polls with. Shown once, where it is made; it cannot be recovered. */
            readonly poll_bearer_token?: string;
            /** @description What the service can report. */
            readonly events_supported: readonly string[];
            /** @description What the receiver requested, and the verification event, which is always added. */
            readonly events_requested: readonly string[];
            /** @description What of that the stream delivers. */
            readonly events_delivered: readonly string[];
            /**
             * Format: date-time
             * @description When the stream was made.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
            /** @description How events reach the receiver. */
            readonly delivery: {
                /**
                 * @description How events are delivered: pushed (RFC 8935) or polled (RFC 8936).
                 * @enum {string}
                 */
                readonly method: "urn:ietf:rfc:8935" | "urn:ietf:rfc:8936";
                /**
                 * Format: uri
                 * @description Where they are sent to, or fetched from.
                 */
                readonly endpoint_url: string;
                /** @description An addition: the `authorization_header` of the stream, where the Shared Signals Framework has it. */
                readonly authorization_header?: string;
            };
            /** @description Of push streams, when set: what is sent as `Authorization` with every event. */
            readonly authorization_header?: string;
            /** @description An addition: the seconds between requests for verification on average. Up to ten may come at once; further ones are a 429. */
            readonly min_verification_interval: number;
            /**
             * @description An addition: how events name the device (RFC 9493). `draft` streams always use `opaque`.
             * @enum {string}
             */
            readonly device_subject_format: "iss_sub" | "opaque";
            /** @description An addition: whether the receiver gets what it should. */
            readonly health: {
                /**
                 * @description `failing`: the receiver does not take events, and is tried again; `stopped`: the stream is paused or disabled; `no_poll_token`: nobody can poll until a token is rotated in.
                 * @enum {string}
                 */
                readonly state: "ok" | "failing" | "stopped" | "no_poll_token";
                /**
                 * Format: date-time
                 * @description Since when the receiver takes no events; null while it does.
                 */
                readonly failing_since: string | null;
                /** @description Why the latest attempt failed; null when none did. */
                readonly last_error: string | null;
                /**
                 * Format: date-time
                 * @description When a receiver last accepted an event that was pushed, or acknowledged one that it polled.
                 */
                readonly last_delivered_at: string | null;
            };
        };
        /**
         * SsfStreamChange
         * @description What to change of a stream. Members that belong to the service are refused when they differ; unknown ones are ignored.
         * @example {
         *       "name": "Okta production"
         *     }
         */
        readonly SsfStreamChange: {
            /** @description What to call the stream. */
            readonly name?: string;
            /** @description What the stream is for. */
            readonly description?: string | null;
            /** @description Who the tokens are for, where that is not the address they are pushed to. A list of one is taken as well (RFC 7519 §4.1.3); records show the text. */
            readonly aud?: (string | null) | readonly string[];
            /** @description How events reach the receiver. */
            readonly delivery?: {
                /**
                 * @description How events are delivered.
                 * @enum {string}
                 */
                readonly method: "urn:ietf:rfc:8935" | "urn:ietf:rfc:8936";
                /** @description Where events are pushed to: an https address on a publicly reachable host. */
                readonly endpoint_url?: string | null;
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
            /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
            readonly events_requested?: readonly string[];
            /** @description Sent as `Authorization` with every pushed event; null for none. */
            readonly authorization_header?: string | null;
            /**
             * @description How events name the device: `iss_sub` unless given. `opaque` is for receivers that cannot read `iss_sub`. `draft` streams always use `opaque`.
             * @enum {string}
             */
            readonly device_subject_format?: "iss_sub" | "opaque";
            /** @description The legacy body. With it the other members are ignored. */
            readonly ssf_stream?: {
                /** @description What to call the stream. */
                readonly name?: string;
                /** @description What the stream is for. */
                readonly description?: string | null;
                /** @description Where events are pushed to, and who they are for: an https address on a public host. */
                readonly aud?: string | null;
                /**
                 * @description Whether events are pushed or polled.
                 * @enum {string}
                 */
                readonly delivery_type?: "push" | "poll";
                /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
                readonly event_subscriptions?: readonly string[];
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
        };
        /**
         * SsfStreamCollectionChange
         * @description Which stream to change, and what of it.
         * @example {
         *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *       "name": "Okta",
         *       "aud": "https://acme.okta.example",
         *       "delivery": {
         *         "method": "urn:ietf:rfc:8935",
         *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
         *       },
         *       "events_requested": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change"
         *       ]
         *     }
         */
        readonly SsfStreamCollectionChange: {
            /** @description Identifier of the stream, or its `stream_id`. */
            readonly stream_id: string;
            /** @description What to call the stream. */
            readonly name?: string;
            /** @description What the stream is for. */
            readonly description?: string | null;
            /** @description Who the tokens are for, where that is not the address they are pushed to. A list of one is taken as well (RFC 7519 §4.1.3); records show the text. */
            readonly aud?: (string | null) | readonly string[];
            /** @description How events reach the receiver. */
            readonly delivery?: {
                /**
                 * @description How events are delivered.
                 * @enum {string}
                 */
                readonly method: "urn:ietf:rfc:8935" | "urn:ietf:rfc:8936";
                /** @description Where events are pushed to: an https address on a publicly reachable host. */
                readonly endpoint_url?: string | null;
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
            /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
            readonly events_requested?: readonly string[];
            /** @description Sent as `Authorization` with every pushed event; null for none. */
            readonly authorization_header?: string | null;
            /**
             * @description How events name the device: `iss_sub` unless given. `opaque` is for receivers that cannot read `iss_sub`. `draft` streams always use `opaque`.
             * @enum {string}
             */
            readonly device_subject_format?: "iss_sub" | "opaque";
            /** @description The legacy body. With it the other members are ignored. */
            readonly ssf_stream?: {
                /** @description What to call the stream. */
                readonly name?: string;
                /** @description What the stream is for. */
                readonly description?: string | null;
                /** @description Where events are pushed to, and who they are for: an https address on a public host. */
                readonly aud?: string | null;
                /**
                 * @description Whether events are pushed or polled.
                 * @enum {string}
                 */
                readonly delivery_type?: "push" | "poll";
                /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
                readonly event_subscriptions?: readonly string[];
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
        };
        /**
         * SsfStreamCreation
         * @description A stream to make: the standard members, or the legacy body alone. Other members are ignored.
         * @example {
         *       "name": "Okta",
         *       "aud": "https://acme.okta.example",
         *       "delivery": {
         *         "method": "urn:ietf:rfc:8935",
         *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
         *       },
         *       "events_requested": [
         *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change"
         *       ]
         *     }
         */
        readonly SsfStreamCreation: {
            /** @description What to call the stream. */
            readonly name?: string;
            /** @description What the stream is for. */
            readonly description?: string | null;
            /** @description Who the tokens are for, where that is not the address they are pushed to. A list of one is taken as well (RFC 7519 §4.1.3); records show the text. */
            readonly aud?: (string | null) | readonly string[];
            /** @description How events reach the receiver. */
            readonly delivery?: {
                /**
                 * @description How events are delivered.
                 * @enum {string}
                 */
                readonly method: "urn:ietf:rfc:8935" | "urn:ietf:rfc:8936";
                /** @description Where events are pushed to: an https address on a publicly reachable host. */
                readonly endpoint_url?: string | null;
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
            /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
            readonly events_requested?: readonly string[];
            /** @description Sent as `Authorization` with every pushed event; null for none. */
            readonly authorization_header?: string | null;
            /**
             * @description How events name the device: `iss_sub` unless given. `opaque` is for receivers that cannot read `iss_sub`. `draft` streams always use `opaque`.
             * @enum {string}
             */
            readonly device_subject_format?: "iss_sub" | "opaque";
            /** @description The legacy body. With it the other members are ignored. */
            readonly ssf_stream?: {
                /** @description What to call the stream. */
                readonly name?: string;
                /** @description What the stream is for. */
                readonly description?: string | null;
                /** @description Where events are pushed to, and who they are for: an https address on a public host. */
                readonly aud?: string | null;
                /**
                 * @description Whether events are pushed or polled.
                 * @enum {string}
                 */
                readonly delivery_type?: "push" | "poll";
                /** @description What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only. */
                readonly event_subscriptions?: readonly string[];
                /** @description Sent as `Authorization` with every pushed event; null for none. */
                readonly authorization_header?: string | null;
            };
            /**
             * @description How events name their subject; `v1_0` unless given, always `draft` with the legacy body.
             * @enum {string}
             */
            readonly spec_version?: "v1_0" | "draft";
        };
        /**
         * SsfStreamEvent
         * @description An entry of the ledger of a stream: one event for its receiver, and what became of it.
         * @example {
         *       "id": "48211",
         *       "sequence": 731,
         *       "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11",
         *       "kind": "compliance_change",
         *       "event_type": "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
         *       "subject": {
         *         "device": {
         *           "identifier": "1042",
         *           "link": "https://muster.example.com/devices/1042"
         *         },
         *         "user_email": "ana@acme.example"
         *       },
         *       "txn": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
         *       "state": "delivered",
         *       "previous_status": "compliant",
         *       "current_status": "not-compliant",
         *       "occurred_at": "2026-11-20T09:14:03.120Z",
         *       "queued_at": "2026-11-20T09:14:03.120Z",
         *       "issued_at": "2026-11-20T09:14:03.120Z",
         *       "settled_at": "2026-11-20T09:14:05.204Z",
         *       "next_attempt_at": null,
         *       "attempts_count": 2,
         *       "attempts": [
         *         {
         *           "attempted_at": "2026-11-20T09:14:05.166Z",
         *           "duration_ms": 38,
         *           "status": 202,
         *           "error": null
         *         },
         *         {
         *           "attempted_at": "2026-11-20T09:14:03.140Z",
         *           "duration_ms": 21,
         *           "status": 503,
         *           "error": "The receiver answered 503"
         *         }
         *       ],
         *       "error": null,
         *       "claims": {
         *         "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11"
         *       },
         *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiI1ZjBiMGQwZSJ9.c2lnbmF0dXJl"
         *     }
         */
        readonly SsfStreamEvent: {
            /** @description Identifier of the entry. */
            readonly id: string;
            /** @description Its place among the events of the stream, without gaps; null until it is settled, or a snapshot or checkpoint was read. */
            readonly sequence: number | null;
            /** @description Identifier of the token, the same however often it is sent: what a receiver knows repeats by. */
            readonly jti: string;
            /**
             * @description What it is about: a device, the stream itself, or nothing (a verification, a test).
             * @enum {string}
             */
            readonly kind: "compliance_change" | "verification" | "stream_updated" | "test";
            /**
             * Format: uri
             * @description The type of the event within the token.
             */
            readonly event_type: string;
            /** @description Whom it is about; nobody where it is about the stream. */
            readonly subject: {
                /** @description The device; it may have been deleted since. */
                readonly device: {
                    /** @description Identifier of the linked record; blank when nothing is linked. */
                    readonly identifier: string;
                    /**
                     * Format: uri
                     * @description Address of the linked record in this API; null when nothing is linked.
                     */
                    readonly link: string | null;
                };
                /** @description E-mail address of the person it names, as it was then; null when it names nobody. */
                readonly user_email: string | null;
            };
            /** @description The same for everything that one change caused. */
            readonly txn: string;
            /**
             * @description Where it stands: `pending` waits, `delivered` was accepted when pushed, `acknowledged` was polled and confirmed, `rejected` was refused by the receiver, `expired` waited for too long.
             * @enum {string}
             */
            readonly state: "pending" | "delivered" | "acknowledged" | "rejected" | "expired";
            /**
             * @description Compliance of the device before; null where it is about none.
             * @enum {string|null}
             */
            readonly previous_status: "compliant" | "not-compliant" | null;
            /**
             * @description Compliance of the device after; null where it is about none.
             * @enum {string|null}
             */
            readonly current_status: "compliant" | "not-compliant" | null;
            /**
             * Format: date-time
             * @description When what it reports happened.
             */
            readonly occurred_at: string;
            /**
             * Format: date-time
             * @description When it was put into the ledger.
             */
            readonly queued_at: string;
            /**
             * Format: date-time
             * @description The `iat` of its token; null until that is settled.
             */
            readonly issued_at: string | null;
            /**
             * Format: date-time
             * @description When it stopped waiting; null while it is pending.
             */
            readonly settled_at: string | null;
            /**
             * Format: date-time
             * @description Until when it is held back after trouble at the receiver; null when nothing holds it.
             */
            readonly next_attempt_at: string | null;
            /** @description How often it was sent to the receiver; of polled streams always 0. */
            readonly attempts_count: number;
            /** @description The latest times it was sent, newest first: at most 10 in a list and 100 in a single record. */
            readonly attempts: readonly {
                /**
                 * Format: date-time
                 * @description When the token was sent.
                 */
                readonly attempted_at: string;
                /** @description How long the receiver took, in milliseconds. */
                readonly duration_ms: number;
                /** @description HTTP status of the answer; null when there was none. */
                readonly status: number | null;
                /** @description Why it did not succeed; null when it did. */
                readonly error: string | null;
            }[];
            /** @description Why it was not delivered; null unless it was rejected or expired. */
            readonly error: {
                /** @description The code that the receiver gave (RFC 8935 section 2.4); null when it gave none. */
                readonly err: string | null;
                /** @description What the receiver wrote about it; null when it wrote nothing. */
                readonly description: string | null;
            } | null;
            /** @description What the token says (RFC 8417); null until that is settled. */
            readonly claims: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The signed token, byte for byte as it is sent; null until it can be signed, once its key is withdrawn, and in lists of the console. */
            readonly token: string | null;
        };
        /**
         * SsfStreamEventPage
         * @description One page of a list.
         */
        readonly SsfStreamEventPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["SsfStreamEvent"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * SsfStreamIssuer
         * @description An addition: what the receiver of a stream is set up with.
         * @example {
         *       "present": {
         *         "iss": "https://muster.example.com",
         *         "jwks_uri": "https://muster.example.com/ssf/jwks.json",
         *         "aud": "https://acme.okta.example"
         *       },
         *       "next": {
         *         "iss": "https://acme.example.com",
         *         "jwks_uri": "https://acme.example.com/ssf/jwks.json",
         *         "aud": "https://acme.okta.example"
         *       },
         *       "former": null,
         *       "keys": [
         *         {
         *           "kty": "RSA",
         *           "kid": "0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *           "use": "sig",
         *           "alg": "RS256",
         *           "n": "3F6…",
         *           "e": "AQAB"
         *         }
         *       ]
         *     }
         */
        readonly SsfStreamIssuer: {
            /** @description What the receiver verifies tokens with now. */
            readonly present: {
                /**
                 * Format: uri
                 * @description Issuer of the tokens.
                 */
                readonly iss: string;
                /**
                 * Format: uri
                 * @description Where the public keys are.
                 */
                readonly jwks_uri: string;
                /** @description Who the tokens are for; null for poll streams that were made with the legacy body. */
                readonly aud: string | null;
            };
            /** @description What it verifies tokens with after a move; null where there is nothing to move to. */
            readonly next: {
                /**
                 * Format: uri
                 * @description Issuer of the tokens.
                 */
                readonly iss: string;
                /**
                 * Format: uri
                 * @description Where the public keys are.
                 */
                readonly jwks_uri: string;
                /** @description Who the tokens are for; null for poll streams that were made with the legacy body. */
                readonly aud: string | null;
            } | null;
            /** @description What events that were queued before the latest move are verified with. */
            readonly former: {
                /**
                 * Format: uri
                 * @description Issuer of the tokens.
                 */
                readonly iss: string;
                /**
                 * Format: uri
                 * @description Where the public keys are.
                 */
                readonly jwks_uri: string;
                /** @description Who the tokens are for; null for poll streams that were made with the legacy body. */
                readonly aud: string | null;
                /**
                 * Format: date-time
                 * @description How long the keys of before stay published.
                 */
                readonly verified_until: string;
            } | null;
            /** @description Every key that a token on its way may be signed with, and those that will sign soon. */
            readonly keys: readonly {
                /** @description Type of the key: `RSA`. */
                readonly kty: string;
                /** @description Name of the key, which the header of a token repeats. */
                readonly kid: string;
                /** @description What the key is for: `sig`. */
                readonly use: string;
                /** @description How it signs: `RS256`. */
                readonly alg: string;
                /** @description Modulus, in base64url. */
                readonly n: string;
                /** @description Exponent, in base64url. */
                readonly e: string;
            }[];
        };
        /**
         * SsfStreamPage
         * @description One page of a list.
         */
        readonly SsfStreamPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["SsfStream"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * SsfStreamStatus
         * @description Whether a stream is on.
         * @example {
         *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *       "status": "enabled"
         *     }
         */
        readonly SsfStreamStatus: {
            /**
             * Format: uuid
             * @description The `stream_id` of the stream.
             */
            readonly stream_id: string;
            /**
             * @description Whether events are delivered; `paused` keeps them, and only after it was asked for.
             * @enum {string}
             */
            readonly status: "enabled" | "paused" | "disabled";
            /** @description An addition, when set: why. */
            readonly reason?: string;
        };
        /**
         * SsfStreamStatusChange
         * @description Turns a stream on or off.
         * @example {
         *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *       "status": "paused",
         *       "reason": "Maintenance until noon"
         *     }
         */
        readonly SsfStreamStatusChange: {
            /** @description Identifier of the stream, or its `stream_id`. */
            readonly stream_id: string;
            /**
             * @description `paused` keeps events for later, in their order; with `disabled` what happens is not queued.
             * @enum {string}
             */
            readonly status: "enabled" | "paused" | "disabled";
            /** @description Why. */
            readonly reason?: string | null;
        };
        /**
         * SsfTest
         * @description What came of a test.
         * @example {
         *       "success": true,
         *       "response_code": "202",
         *       "ssf_stream_event_id": 4711
         *     }
         */
        readonly SsfTest: {
            /** @description Whether the receiver accepted it, or it waits to be polled. */
            readonly success: boolean;
            /** @description The status that the receiver answered, `202` for poll streams, or `no_response`. */
            readonly response_code: string;
            /** @description Identifier of the event in the history of the stream. */
            readonly ssf_stream_event_id: number;
            /** @description A note about the event, if there is one, such as that nobody has the e-mail address. */
            readonly hint?: string;
        };
        /**
         * SsfTestRequest
         * @description Whom a test event is about.
         * @example {
         *       "email": "ana@acme.example"
         *     }
         */
        readonly SsfTestRequest: {
            /**
             * Format: email
             * @description Whom the event is about.
             */
            readonly email: string;
        };
        /**
         * SsfVerification
         * @description Asks for a verification event.
         * @example {
         *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
         *       "state": "VGhpcyBpcyBhbiBleGFtcGxl"
         *     }
         */
        readonly SsfVerification: {
            /** @description Identifier of the stream, or its `stream_id`. */
            readonly stream_id: string;
            /** @description Comes back in the event. */
            readonly state?: string | null;
        };
        /**
         * TableRecord
         * @description A row of a reporting table: its identifier and every column of the table, all as text.
         * @example {
         *       "id": "90412",
         *       "device_id": "1042",
         *       "device_name": "Tomas's MacBook Pro",
         *       "taken_at": "2026-11-20T08:41:12.000Z",
         *       "days": "12"
         *     }
         */
        readonly TableRecord: {
            /** @description Identifier of the row; it changes when the row does. */
            readonly id: string;
        } & {
            readonly [key: string]: string;
        };
        /**
         * TableRecordPage
         * @description One page of a list.
         */
        readonly TableRecordPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["TableRecord"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * ValidationError
         * @description Why a well-formed request is not valid.
         * @example {
         *       "error": "invalid",
         *       "message": "per_page must be at most 100.",
         *       "errors": [
         *         {
         *           "field": "per_page",
         *           "message": "must be at most 100"
         *         }
         *       ]
         *     }
         */
        readonly ValidationError: {
            /**
             * @description What went wrong, as a code that programs may rely on.
             * @enum {string}
             */
            readonly error: "malformed_request" | "malformed_json" | "unknown_api_version" | "bad_cursor" | "unauthorized" | "feature_unavailable" | "permission_missing" | "not_found" | "method_not_allowed" | "api_version_gone" | "body_too_large" | "unsupported_media_type" | "invalid" | "search_invalid" | "device_not_registered" | "check_not_external" | "check_not_refreshable" | "request_decided" | "request_withdrawn" | "already_requested" | "already_registered" | "not_device_owner" | "exemptions_disallowed" | "snooze_disallowed" | "already_snoozed" | "delivery_pending" | "endpoint_disabled" | "secret_overlapping" | "rate_limited" | "internal" | "unavailable";
            /** @description What went wrong, as a sentence for people; its wording may change. */
            readonly message: string;
            /** @description Every error found; at least one. */
            readonly errors: readonly components["schemas"]["FieldError"][];
        };
        /**
         * WebhookDelivery
         * @description An entry of the delivery log of an endpoint: one message for it, and what became of it.
         * @example {
         *       "id": "90412",
         *       "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
         *       "event": "device_trust.status_changed",
         *       "device": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "state": "delivered",
         *       "attempts_count": 2,
         *       "probes_count": 0,
         *       "last_status": 200,
         *       "last_error": null,
         *       "queued_at": "2026-11-20T09:14:03.120Z",
         *       "settled_at": "2026-11-20T09:14:35.204Z",
         *       "next_attempt_at": null,
         *       "resent_from": null
         *     }
         */
        readonly WebhookDelivery: {
            /** @description Identifier of the delivery. */
            readonly id: string;
            /** @description The `id` within the body and the header `webhook-id`: what a receiver knows repeats by. */
            readonly message_id: string;
            /** @description What happened: the name of the event. */
            readonly event: string;
            /** @description The device that it is about; it may have been deleted since. */
            readonly device: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /**
             * @description Where it stands: `pending` waits, `delivered` was accepted, `failed` was given up.
             * @enum {string}
             */
            readonly state: "pending" | "delivered" | "failed";
            /** @description How often it was sent. */
            readonly attempts_count: number;
            /** @description How many of these were ahead of the schedule, to try whether an endpoint that could not be reached is back or because someone asked for it: they use up no attempts. */
            readonly probes_count: number;
            /** @description HTTP status that the latest attempt was answered with; null without an answer or an attempt. */
            readonly last_status: number | null;
            /** @description Why it did not succeed the latest time; null when it did, or was not sent yet. */
            readonly last_error: string | null;
            /**
             * Format: date-time
             * @description When it was put into the log.
             */
            readonly queued_at: string;
            /**
             * Format: date-time
             * @description When it stopped waiting; null while it is pending.
             */
            readonly settled_at: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due: earlier when its endpoint is back after trouble, later while an earlier message of its device waits. Null when it is settled, and while its endpoint is disabled.
             */
            readonly next_attempt_at: string | null;
            /** @description The delivery that this one repeats, when someone asked for it. */
            readonly resent_from: string | null;
        };
        /**
         * WebhookDeliveryDetails
         * @description An entry of the delivery log with all that was sent and answered.
         * @example {
         *       "id": "90412",
         *       "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
         *       "event": "device_trust.status_changed",
         *       "device": {
         *         "identifier": "1042",
         *         "link": "https://muster.example.com/devices/1042"
         *       },
         *       "state": "delivered",
         *       "attempts_count": 2,
         *       "probes_count": 0,
         *       "last_status": 200,
         *       "last_error": null,
         *       "queued_at": "2026-11-20T09:14:03.120Z",
         *       "settled_at": "2026-11-20T09:14:35.204Z",
         *       "next_attempt_at": null,
         *       "resent_from": null,
         *       "request_body": "{\"event\":\"device_trust.status_changed\",\"id\":\"01KAF5J8T3Q4V9R0C6M1B7X2ZD\",\"timestamp\":\"2026-11-20T09:14:03Z\",\"data\":{\"device_id\":1042,\"device_name\":\"Ana's MacBook\",\"device_status\":\"blocked\",\"device_url\":\"https://muster.example.com/devices/1042\"}}",
         *       "attempts": [
         *         {
         *           "attempted_at": "2026-11-20T09:14:35.140Z",
         *           "request_headers": {
         *             "content-type": "application/json",
         *             "user-agent": "Muster",
         *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
         *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
         *             "webhook-timestamp": "1763630075"
         *           },
         *           "status": 200,
         *           "error": null,
         *           "response": "ok",
         *           "timings": {
         *             "dns_ms": 0,
         *             "connect_ms": 0,
         *             "tls_ms": 0,
         *             "first_byte_ms": 61.2,
         *             "total_ms": 64.1
         *           }
         *         },
         *         {
         *           "attempted_at": "2026-11-20T09:14:03.140Z",
         *           "request_headers": {
         *             "content-type": "application/json",
         *             "user-agent": "Muster",
         *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
         *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
         *             "webhook-timestamp": "1763630043"
         *           },
         *           "status": 503,
         *           "error": "The receiver answered 503",
         *           "response": "upstream is starting",
         *           "timings": {
         *             "dns_ms": 4.1,
         *             "connect_ms": 18.6,
         *             "tls_ms": 22.9,
         *             "first_byte_ms": 70.3,
         *             "total_ms": 71
         *           }
         *         }
         *       ]
         *     }
         */
        readonly WebhookDeliveryDetails: {
            /** @description Identifier of the delivery. */
            readonly id: string;
            /** @description The `id` within the body and the header `webhook-id`: what a receiver knows repeats by. */
            readonly message_id: string;
            /** @description What happened: the name of the event. */
            readonly event: string;
            /** @description The device that it is about; it may have been deleted since. */
            readonly device: {
                /** @description Identifier of the linked record; blank when nothing is linked. */
                readonly identifier: string;
                /**
                 * Format: uri
                 * @description Address of the linked record in this API; null when nothing is linked.
                 */
                readonly link: string | null;
            };
            /**
             * @description Where it stands: `pending` waits, `delivered` was accepted, `failed` was given up.
             * @enum {string}
             */
            readonly state: "pending" | "delivered" | "failed";
            /** @description How often it was sent. */
            readonly attempts_count: number;
            /** @description How many of these were ahead of the schedule, to try whether an endpoint that could not be reached is back or because someone asked for it: they use up no attempts. */
            readonly probes_count: number;
            /** @description HTTP status that the latest attempt was answered with; null without an answer or an attempt. */
            readonly last_status: number | null;
            /** @description Why it did not succeed the latest time; null when it did, or was not sent yet. */
            readonly last_error: string | null;
            /**
             * Format: date-time
             * @description When it was put into the log.
             */
            readonly queued_at: string;
            /**
             * Format: date-time
             * @description When it stopped waiting; null while it is pending.
             */
            readonly settled_at: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due: earlier when its endpoint is back after trouble, later while an earlier message of its device waits. Null when it is settled, and while its endpoint is disabled.
             */
            readonly next_attempt_at: string | null;
            /** @description The delivery that this one repeats, when someone asked for it. */
            readonly resent_from: string | null;
            /** @description The body, byte for byte as it is sent, at every attempt and however often it is repeated. */
            readonly request_body: string;
            /** @description The latest 100 times it was sent, newest first. */
            readonly attempts: readonly {
                /**
                 * Format: date-time
                 * @description When the request was sent.
                 */
                readonly attempted_at: string;
                /** @description The headers of the request, as they were sent; values that are secrets are masked. */
                readonly request_headers: {
                    readonly [key: string]: string;
                };
                /** @description HTTP status of the answer; null when there was none. */
                readonly status: number | null;
                /** @description Why it did not succeed; null when it did. */
                readonly error: string | null;
                /** @description The first 4 kB of the body of the answer; null when there was none. */
                readonly response: string | null;
                /** @description How long the parts of it took, in milliseconds. */
                readonly timings: {
                    /** @description Looking up the name of the host; zero on a connection that was open already. */
                    readonly dns_ms: number;
                    /** @description Connecting; zero likewise. */
                    readonly connect_ms: number;
                    /** @description The TLS handshake; zero likewise. */
                    readonly tls_ms: number;
                    /** @description From the beginning to the first byte of the answer; zero without an answer. */
                    readonly first_byte_ms: number;
                    /** @description From the beginning to the end. */
                    readonly total_ms: number;
                };
            }[];
        };
        /**
         * WebhookDeliveryPage
         * @description One page of a list.
         */
        readonly WebhookDeliveryPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["WebhookDelivery"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * WebhookEndpoint
         * @description An address that is told of events.
         * @example {
         *       "id": "12",
         *       "url": "https://hooks.acme.example/muster",
         *       "description": "Opens tickets",
         *       "events": [
         *         "device_trust.status_changed",
         *         "issues.new"
         *       ],
         *       "enabled": true,
         *       "disabled_at": null,
         *       "disabled_reason": null,
         *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
         *       "custom_headers": {
         *         "x-tenant": "********"
         *       },
         *       "previous_secret_until": null,
         *       "created_at": "2026-11-20T09:14:03.120Z",
         *       "updated_at": "2026-11-20T09:14:03.120Z",
         *       "health": {
         *         "state": "ok",
         *         "failing_since": null,
         *         "last_error": null,
         *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
         *       }
         *     }
         */
        readonly WebhookEndpoint: {
            /** @description Identifier of the endpoint. */
            readonly id: string;
            /**
             * Format: uri
             * @description Where events are sent to.
             */
            readonly url: string;
            /** @description What the endpoint is for; null when nobody said. */
            readonly description: string | null;
            /** @description What the endpoint receives. */
            readonly events: readonly string[];
            /** @description Whether events are queued for the endpoint and sent to it. */
            readonly enabled: boolean;
            /**
             * Format: date-time
             * @description When it was disabled; null while it is enabled.
             */
            readonly disabled_at: string | null;
            /**
             * @description Why it is disabled: `by_admin`: someone did so; `gone`: the receiver answered 410; `failing`: every attempt of five days failed.
             * @enum {string|null}
             */
            readonly disabled_reason: "by_admin" | "gone" | "failing" | null;
            /**
             * Format: uuid
             * @description Sent as `X-Service-Webhook-Identifier` with every request; never changes.
             */
            readonly identifier: string;
            /** @description Additional headers to send, by their names in lower case; each value is shown as `********`. */
            readonly custom_headers: {
                readonly [key: string]: string;
            };
            /** @description What requests are signed with. Only in the answers that make, reveal or roll it. */
            readonly secret?: string;
            /**
             * Format: date-time
             * @description Until when the secret before this one signs as well; null when it does no more.
             */
            readonly previous_secret_until: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was made.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
            /** @description Whether the receiver gets what it should. */
            readonly health: {
                /**
                 * @description `failing`: the receiver does not take what is sent, and is tried again; `stopped`: the endpoint is disabled.
                 * @enum {string}
                 */
                readonly state: "ok" | "failing" | "stopped";
                /**
                 * Format: date-time
                 * @description Since when the receiver takes nothing; null while it does.
                 */
                readonly failing_since: string | null;
                /** @description Why the latest attempt failed; null when it did not. */
                readonly last_error: string | null;
                /**
                 * Format: date-time
                 * @description When the receiver last took something.
                 */
                readonly last_delivered_at: string | null;
            };
        };
        /**
         * WebhookEndpointChange
         * @description What to change of a webhook endpoint. Other members are ignored.
         * @example {
         *       "enabled": true
         *     }
         */
        readonly WebhookEndpointChange: {
            /** @description Where to send events: an https address on a publicly reachable host. */
            readonly url?: string;
            /** @description What to tell the endpoint of, all of it. */
            readonly events?: readonly ("auth_logs.success" | "auth_logs.failure" | "device_trust.status_changed" | "admin_users.created" | "audit_log.recorded" | "devices.created" | "devices.registered" | "devices.registration_suspended" | "devices.identity_conflict" | "devices.updated" | "devices.destroyed" | "issues.new" | "issues.resolved" | "requests.issue_exemption" | "requests.registration")[];
            /** @description What the endpoint is for. */
            readonly description?: string | null;
            /** @description Headers to send besides, all of them; one with the value `********` keeps the value that it has. */
            readonly custom_headers?: {
                readonly [key: string]: string;
            };
            /** @description Whether events are queued for the endpoint and sent to it. */
            readonly enabled?: boolean;
        };
        /**
         * WebhookEndpointCreation
         * @description A webhook endpoint to make. Other members are ignored.
         * @example {
         *       "url": "https://hooks.acme.example/muster",
         *       "events": [
         *         "device_trust.status_changed",
         *         "issues.new"
         *       ],
         *       "description": "Opens tickets",
         *       "custom_headers": {
         *         "x-tenant": "acme"
         *       }
         *     }
         */
        readonly WebhookEndpointCreation: {
            /** @description Where to send events: an https address on a publicly reachable host. */
            readonly url: string;
            /** @description What to tell the endpoint of. */
            readonly events: readonly ("auth_logs.success" | "auth_logs.failure" | "device_trust.status_changed" | "admin_users.created" | "audit_log.recorded" | "devices.created" | "devices.registered" | "devices.registration_suspended" | "devices.identity_conflict" | "devices.updated" | "devices.destroyed" | "issues.new" | "issues.resolved" | "requests.issue_exemption" | "requests.registration")[];
            /** @description What the endpoint is for. */
            readonly description?: string | null;
            /** @description Headers to send besides, all of them; values are kept sealed. Those that belong to HTTP, to the body or to the signature are refused. */
            readonly custom_headers?: {
                readonly [key: string]: string;
            };
            /** @description Whether it begins enabled, which it does unless told otherwise. */
            readonly enabled?: boolean;
        };
        /**
         * WebhookEndpointPage
         * @description One page of a list.
         */
        readonly WebhookEndpointPage: {
            /** @description The records of this page. */
            readonly data: readonly components["schemas"]["WebhookEndpoint"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * WebhookResend
         * @description What a call for repeats did.
         * @example {
         *       "resent_count": 218,
         *       "to": "2026-11-20T12:00:00.000Z",
         *       "next_after_id": null
         *     }
         */
        readonly WebhookResend: {
            /** @description How many messages are sent again, each as a new delivery. */
            readonly resent_count: number;
            /**
             * Format: date-time
             * @description Where the range ended.
             */
            readonly to: string;
            /** @description What to send as `after_id` for the rest, with the same `from` and this `to`; null when that was all. */
            readonly next_after_id: string | null;
        };
        /**
         * WebhookResendRequest
         * @description Which deliveries of an endpoint to send again, by when they were queued.
         * @example {
         *       "from": "2026-11-20T09:00:00Z"
         *     }
         */
        readonly WebhookResendRequest: {
            /** @description Deliveries that were queued from this moment on; a date or a date-time. */
            readonly from: string;
            /** @description And before this moment; before now unless given. */
            readonly to?: string;
            /** @description Only those in one of these states; those that failed unless given. */
            readonly states?: readonly ("delivered" | "failed")[];
            /** @description Only those after this one: `next_after_id` of the answer before, together with its `to`. */
            readonly after_id?: string | number;
        };
        /**
         * WebhookSecretRoll
         * @description How to replace the secret of an endpoint.
         * @example {
         *       "overlap_seconds": 3600
         *     }
         */
        readonly WebhookSecretRoll: {
            /**
             * @description How long the present secret continues to sign beside the new one; a day unless given.
             * @default 86400
             */
            readonly overlap_seconds: number;
        };
        /**
         * WebhookTestRequest
         * @description What a test event says.
         * @example {
         *       "message": "Does this arrive?"
         *     }
         */
        readonly WebhookTestRequest: {
            /** @description What the event says; a greeting unless given. */
            readonly message?: string;
            /**
             * @description Which event to send, with made-up values for all but `webhook.test`, which it is unless given.
             * @enum {string}
             */
            readonly event?: "auth_logs.success" | "auth_logs.failure" | "device_trust.status_changed" | "admin_users.created" | "audit_log.recorded" | "devices.created" | "devices.registered" | "devices.registration_suspended" | "devices.identity_conflict" | "devices.updated" | "devices.destroyed" | "issues.new" | "issues.resolved" | "requests.issue_exemption" | "requests.registration" | "webhook.test";
        };
        /**
         * WhoAmI
         * @description The organization that a key speaks for.
         * @example {
         *       "organization_id": "1",
         *       "organization_name": "Acme Corporation"
         *     }
         */
        readonly WhoAmI: {
            /** @description Identifier of the organization that the key belongs to. */
            readonly organization_id: string;
            /** @description Name of the organization that the key belongs to. */
            readonly organization_name: string;
        };
    };
    responses: {
        /** @description There is no valid API key, or the feature is not available to the organization. */
        readonly Unauthorized: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the permission. */
        readonly Forbidden: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such record in the organization. */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is well-formed but not valid; `errors` says what and where. */
        readonly Unprocessable: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description The key has used up its requests; the next ones pass after `Retry-After` seconds. */
        readonly TooManyRequests: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What can happen anywhere: 400 for a body that is not JSON, an unknown API version or a cursor of another list, 410 for version v0, 413 for a body of more than 1 MiB, 415 for another content type, 500 and 503 for failures of the service. */
        readonly OtherError: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
         * @example 2026-04-07
         */
        readonly ApiVersion: "2026-04-07" | "2023-05-26";
        /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
        readonly Cursor: string;
        /** @description How many records a page holds at most. */
        readonly PerPage: number;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names the request in the log of the service.
         * @example 0197a3c4-5b0e-7c52-8f43-2f6a1f0c9d11
         */
        readonly "X-Request-Id": string;
        /**
         * @description How many requests the key may make in a minute.
         * @example 270
         */
        readonly "RateLimit-Limit": number;
        /**
         * @description How many of them are left until the reset.
         * @example 269
         */
        readonly "Ratelimit-Remaining": number;
        /**
         * @description Seconds until the count begins again.
         * @example 60
         */
        readonly "Ratelimit-Reset": number;
        /**
         * @description The limit and its window in seconds.
         * @example 270;w=60
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description Seconds until a request passes again; the same as the reset.
         * @example 17
         */
        readonly "Retry-After": number;
    };
    pathItems: never;
}
export type AdminUser = components['schemas']['AdminUser'];
export type AdminUserPage = components['schemas']['AdminUserPage'];
export type AuditLog = components['schemas']['AuditLog'];
export type AuditLogPage = components['schemas']['AuditLogPage'];
export type AuthLog = components['schemas']['AuthLog'];
export type AuthLogPage = components['schemas']['AuthLogPage'];
export type Check = components['schemas']['Check'];
export type CheckConfiguration = components['schemas']['CheckConfiguration'];
export type CheckConfigurationRequest = components['schemas']['CheckConfigurationRequest'];
export type CheckPage = components['schemas']['CheckPage'];
export type CheckRefresh = components['schemas']['CheckRefresh'];
export type CheckRefreshRequest = components['schemas']['CheckRefreshRequest'];
export type CheckResult = components['schemas']['CheckResult'];
export type CheckResultPage = components['schemas']['CheckResultPage'];
export type CustomCheckDraft = components['schemas']['CustomCheckDraft'];
export type CustomCheckDraftPage = components['schemas']['CustomCheckDraftPage'];
export type DeprovisionedPerson = components['schemas']['DeprovisionedPerson'];
export type DeprovisionedPersonPage = components['schemas']['DeprovisionedPersonPage'];
export type Device = components['schemas']['Device'];
export type DeviceAuthenticationMode = components['schemas']['DeviceAuthenticationMode'];
export type DeviceAuthenticationModeRequest = components['schemas']['DeviceAuthenticationModeRequest'];
export type DeviceGroup = components['schemas']['DeviceGroup'];
export type DeviceGroupMembership = components['schemas']['DeviceGroupMembership'];
export type DeviceGroupMembershipRequest = components['schemas']['DeviceGroupMembershipRequest'];
export type DeviceGroupPage = components['schemas']['DeviceGroupPage'];
export type DevicePage = components['schemas']['DevicePage'];
export type DeviceRegistration = components['schemas']['DeviceRegistration'];
export type DeviceRegistrationRequest = components['schemas']['DeviceRegistrationRequest'];
export type Error = components['schemas']['Error'];
export type ExemptionRequest = components['schemas']['ExemptionRequest'];
export type ExemptionRequestDecision = components['schemas']['ExemptionRequestDecision'];
export type ExemptionRequestPage = components['schemas']['ExemptionRequestPage'];
export type ExternalCheckRun = components['schemas']['ExternalCheckRun'];
export type ExternalCheckRunRequest = components['schemas']['ExternalCheckRunRequest'];
export type FieldError = components['schemas']['FieldError'];
export type Issue = components['schemas']['Issue'];
export type IssuePage = components['schemas']['IssuePage'];
export type JsonWebKeySet = components['schemas']['JsonWebKeySet'];
export type LiveQueryCampaign = components['schemas']['LiveQueryCampaign'];
export type LiveQueryCampaignChange = components['schemas']['LiveQueryCampaignChange'];
export type LiveQueryCampaignPage = components['schemas']['LiveQueryCampaignPage'];
export type LiveQueryCampaignRequest = components['schemas']['LiveQueryCampaignRequest'];
export type LiveQueryResult = components['schemas']['LiveQueryResult'];
export type LiveQueryResultPage = components['schemas']['LiveQueryResultPage'];
export type LiveQueryRows = components['schemas']['LiveQueryRows'];
export type LiveQueryRowsPage = components['schemas']['LiveQueryRowsPage'];
export type Package = components['schemas']['Package'];
export type PackagePage = components['schemas']['PackagePage'];
export type Pagination = components['schemas']['Pagination'];
export type Person = components['schemas']['Person'];
export type PersonGroup = components['schemas']['PersonGroup'];
export type PersonGroupPage = components['schemas']['PersonGroupPage'];
export type PersonPage = components['schemas']['PersonPage'];
export type RegistrationRequest = components['schemas']['RegistrationRequest'];
export type RegistrationRequestDecision = components['schemas']['RegistrationRequestDecision'];
export type RegistrationRequestPage = components['schemas']['RegistrationRequestPage'];
export type ReportingQuery = components['schemas']['ReportingQuery'];
export type ReportingQueryPage = components['schemas']['ReportingQueryPage'];
export type ReportingQueryResult = components['schemas']['ReportingQueryResult'];
export type ReportingQueryResultPage = components['schemas']['ReportingQueryResultPage'];
export type ReportingTable = components['schemas']['ReportingTable'];
export type ReportingTablePage = components['schemas']['ReportingTablePage'];
export type SsfCheckpoint = components['schemas']['SsfCheckpoint'];
export type SsfConfiguration = components['schemas']['SsfConfiguration'];
export type SsfPoll = components['schemas']['SsfPoll'];
export type SsfPollAnswer = components['schemas']['SsfPollAnswer'];
export type SsfPollTokenRotation = components['schemas']['SsfPollTokenRotation'];
export type SsfReplay = components['schemas']['SsfReplay'];
export type SsfReplayRequest = components['schemas']['SsfReplayRequest'];
export type SsfSnapshot = components['schemas']['SsfSnapshot'];
export type SsfStream = components['schemas']['SsfStream'];
export type SsfStreamChange = components['schemas']['SsfStreamChange'];
export type SsfStreamCollectionChange = components['schemas']['SsfStreamCollectionChange'];
export type SsfStreamCreation = components['schemas']['SsfStreamCreation'];
export type SsfStreamEvent = components['schemas']['SsfStreamEvent'];
export type SsfStreamEventPage = components['schemas']['SsfStreamEventPage'];
export type SsfStreamIssuer = components['schemas']['SsfStreamIssuer'];
export type SsfStreamPage = components['schemas']['SsfStreamPage'];
export type SsfStreamStatus = components['schemas']['SsfStreamStatus'];
export type SsfStreamStatusChange = components['schemas']['SsfStreamStatusChange'];
export type SsfTest = components['schemas']['SsfTest'];
export type SsfTestRequest = components['schemas']['SsfTestRequest'];
export type SsfVerification = components['schemas']['SsfVerification'];
export type TableRecord = components['schemas']['TableRecord'];
export type TableRecordPage = components['schemas']['TableRecordPage'];
export type ValidationError = components['schemas']['ValidationError'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryDetails = components['schemas']['WebhookDeliveryDetails'];
export type WebhookDeliveryPage = components['schemas']['WebhookDeliveryPage'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointChange = components['schemas']['WebhookEndpointChange'];
export type WebhookEndpointCreation = components['schemas']['WebhookEndpointCreation'];
export type WebhookEndpointPage = components['schemas']['WebhookEndpointPage'];
export type WebhookResend = components['schemas']['WebhookResend'];
export type WebhookResendRequest = components['schemas']['WebhookResendRequest'];
export type WebhookSecretRoll = components['schemas']['WebhookSecretRoll'];
export type WebhookTestRequest = components['schemas']['WebhookTestRequest'];
export type WhoAmI = components['schemas']['WhoAmI'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseUnprocessable = components['responses']['Unprocessable'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseOtherError = components['responses']['OtherError'];
export type ParameterApiVersion = components['parameters']['ApiVersion'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterPerPage = components['parameters']['PerPage'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderRateLimitLimit = components['headers']['RateLimit-Limit'];
export type HeaderRatelimitRemaining = components['headers']['Ratelimit-Remaining'];
export type HeaderRatelimitReset = components['headers']['Ratelimit-Reset'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getWhoAmI: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The organization that a key speaks for. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organization_id": "1",
                     *       "organization_name": "Acme Corporation"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WhoAmI"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listDevices: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `registered_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `serial` | string | `:` `~` | several values, `null` |
                 *     | `note` | string | `:` `~` | several values, `null` |
                 *     | `hardware_uuid` | string | `:` `~` | several values, `null` |
                 *     | `device_type` | enum: Mac, Linux, Windows, iOS, Android | `:` `~` | several values |
                 *     | `will_block_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `registration_suspended_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `identity_conflict_since` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "1042",
                     *           "name": "Tomas's MacBook Pro",
                     *           "registered_at": "2026-03-02T10:11:12.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "last_seen_at": "2026-11-20T09:13:55.018Z",
                     *           "registered_owner_info": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "operating_system": "macOS 26.1",
                     *           "hardware_model": "MacBook Pro (14-inch, 2025)",
                     *           "serial": "C02XL0GTJGH5",
                     *           "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
                     *           "note": null,
                     *           "auth_state": "Will Block",
                     *           "will_block_at": "2026-11-24T09:00:00.000Z",
                     *           "product_image_url": null,
                     *           "auth_configuration": {
                     *             "device_id": "1042",
                     *             "authentication_mode": "only_registered_owner_or_group_members",
                     *             "person_groups": [
                     *               {
                     *                 "id": "27",
                     *                 "name": "Finance"
                     *               }
                     *             ]
                     *           },
                     *           "device_type": "Mac",
                     *           "form_factor": "computer",
                     *           "registration_suspended_at": null,
                     *           "agent_version": "5.19.0",
                     *           "enrolled_at": "2026-03-02T09:58:40.000Z",
                     *           "identity_conflict_since": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DevicePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getDevice: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A computer, tablet or phone that people sign in with. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "1042",
                     *       "name": "Tomas's MacBook Pro",
                     *       "registered_at": "2026-03-02T10:11:12.000Z",
                     *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *       "last_seen_at": "2026-11-20T09:13:55.018Z",
                     *       "registered_owner_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "operating_system": "macOS 26.1",
                     *       "hardware_model": "MacBook Pro (14-inch, 2025)",
                     *       "serial": "C02XL0GTJGH5",
                     *       "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
                     *       "note": null,
                     *       "auth_state": "Will Block",
                     *       "will_block_at": "2026-11-24T09:00:00.000Z",
                     *       "product_image_url": null,
                     *       "auth_configuration": {
                     *         "device_id": "1042",
                     *         "authentication_mode": "only_registered_owner_or_group_members",
                     *         "person_groups": [
                     *           {
                     *             "id": "27",
                     *             "name": "Finance"
                     *           }
                     *         ]
                     *       },
                     *       "device_type": "Mac",
                     *       "form_factor": "computer",
                     *       "registration_suspended_at": null,
                     *       "agent_version": "5.19.0",
                     *       "enrolled_at": "2026-03-02T09:58:40.000Z",
                     *       "identity_conflict_since": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Device"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteDevice: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A computer, tablet or phone that people sign in with. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "1042",
                     *       "name": "Tomas's MacBook Pro",
                     *       "registered_at": "2026-03-02T10:11:12.000Z",
                     *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *       "last_seen_at": "2026-11-20T09:13:55.018Z",
                     *       "registered_owner_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "operating_system": "macOS 26.1",
                     *       "hardware_model": "MacBook Pro (14-inch, 2025)",
                     *       "serial": "C02XL0GTJGH5",
                     *       "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
                     *       "note": null,
                     *       "auth_state": "Will Block",
                     *       "will_block_at": "2026-11-24T09:00:00.000Z",
                     *       "product_image_url": null,
                     *       "auth_configuration": {
                     *         "device_id": "1042",
                     *         "authentication_mode": "only_registered_owner_or_group_members",
                     *         "person_groups": [
                     *           {
                     *             "id": "27",
                     *             "name": "Finance"
                     *           }
                     *         ]
                     *       },
                     *       "device_type": "Mac",
                     *       "form_factor": "computer",
                     *       "registration_suspended_at": null,
                     *       "agent_version": "5.19.0",
                     *       "enrolled_at": "2026-03-02T09:58:40.000Z",
                     *       "identity_conflict_since": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Device"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listDevicesOfPerson: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `registered_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `serial` | string | `:` `~` | several values, `null` |
                 *     | `note` | string | `:` `~` | several values, `null` |
                 *     | `hardware_uuid` | string | `:` `~` | several values, `null` |
                 *     | `device_type` | enum: Mac, Linux, Windows, iOS, Android | `:` `~` | several values |
                 *     | `will_block_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `registration_suspended_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `identity_conflict_since` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the person. */
                readonly personId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "1042",
                     *           "name": "Tomas's MacBook Pro",
                     *           "registered_at": "2026-03-02T10:11:12.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "last_seen_at": "2026-11-20T09:13:55.018Z",
                     *           "registered_owner_info": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "operating_system": "macOS 26.1",
                     *           "hardware_model": "MacBook Pro (14-inch, 2025)",
                     *           "serial": "C02XL0GTJGH5",
                     *           "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
                     *           "note": null,
                     *           "auth_state": "Will Block",
                     *           "will_block_at": "2026-11-24T09:00:00.000Z",
                     *           "product_image_url": null,
                     *           "auth_configuration": {
                     *             "device_id": "1042",
                     *             "authentication_mode": "only_registered_owner_or_group_members",
                     *             "person_groups": [
                     *               {
                     *                 "id": "27",
                     *                 "name": "Finance"
                     *               }
                     *             ]
                     *           },
                     *           "device_type": "Mac",
                     *           "form_factor": "computer",
                     *           "registration_suspended_at": null,
                     *           "agent_version": "5.19.0",
                     *           "enrolled_at": "2026-03-02T09:58:40.000Z",
                     *           "identity_conflict_since": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DevicePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateDeviceAuthenticationModeWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "authentication_mode": "only_registered_owner_or_group_members",
                 *       "person_group_ids": [
                 *         "27",
                 *         31
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["DeviceAuthenticationModeRequest"];
            };
        };
        readonly responses: {
            /** @description Who may sign in with a device. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "authentication_mode": "only_registered_owner_or_group_members",
                     *       "person_groups": [
                     *         {
                     *           "id": "27",
                     *           "name": "Finance"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceAuthenticationMode"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateDeviceAuthenticationMode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "authentication_mode": "only_registered_owner_or_group_members",
                 *       "person_group_ids": [
                 *         "27",
                 *         31
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["DeviceAuthenticationModeRequest"];
            };
        };
        readonly responses: {
            /** @description Who may sign in with a device. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "authentication_mode": "only_registered_owner_or_group_members",
                     *       "person_groups": [
                     *         {
                     *           "id": "27",
                     *           "name": "Finance"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceAuthenticationMode"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly assignDeviceOwnerWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "person_email": "tomas@acme.example"
                 *     }
                 */
                readonly "application/json": components["schemas"]["DeviceRegistrationRequest"];
            };
        };
        readonly responses: {
            /** @description That a device belongs to a person. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "registered_at": "2026-03-02T10:11:12.000Z",
                     *       "registered_owner_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_info": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceRegistration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteDeviceRegistration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description That a device belongs to a person. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "registered_at": "2026-03-02T10:11:12.000Z",
                     *       "registered_owner_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_info": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceRegistration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly assignDeviceOwner: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "person_email": "tomas@acme.example"
                 *     }
                 */
                readonly "application/json": components["schemas"]["DeviceRegistrationRequest"];
            };
        };
        readonly responses: {
            /** @description That a device belongs to a person. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "registered_at": "2026-03-02T10:11:12.000Z",
                     *       "registered_owner_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_info": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceRegistration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listDeviceGroups: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `created_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `description` | string | `:` `~` | several values, `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "8",
                     *           "created_at": "2026-01-15T13:20:00.000Z",
                     *           "name": "Early adopters",
                     *           "description": "Gets new checks a week before everyone else.",
                     *           "members_count": 34
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceGroupPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getDeviceGroup: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device group. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A group of devices that checks may target or leave out. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8",
                     *       "created_at": "2026-01-15T13:20:00.000Z",
                     *       "name": "Early adopters",
                     *       "description": "Gets new checks a week before everyone else.",
                     *       "members_count": 34
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceGroup"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listDevicesOfGroup: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `registered_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `serial` | string | `:` `~` | several values, `null` |
                 *     | `note` | string | `:` `~` | several values, `null` |
                 *     | `hardware_uuid` | string | `:` `~` | several values, `null` |
                 *     | `device_type` | enum: Mac, Linux, Windows, iOS, Android | `:` `~` | several values |
                 *     | `will_block_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `registration_suspended_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `identity_conflict_since` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device group. */
                readonly deviceGroupId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "1042",
                     *           "name": "Tomas's MacBook Pro",
                     *           "registered_at": "2026-03-02T10:11:12.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "last_seen_at": "2026-11-20T09:13:55.018Z",
                     *           "registered_owner_info": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "operating_system": "macOS 26.1",
                     *           "hardware_model": "MacBook Pro (14-inch, 2025)",
                     *           "serial": "C02XL0GTJGH5",
                     *           "hardware_uuid": "5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10",
                     *           "note": null,
                     *           "auth_state": "Will Block",
                     *           "will_block_at": "2026-11-24T09:00:00.000Z",
                     *           "product_image_url": null,
                     *           "auth_configuration": {
                     *             "device_id": "1042",
                     *             "authentication_mode": "only_registered_owner_or_group_members",
                     *             "person_groups": [
                     *               {
                     *                 "id": "27",
                     *                 "name": "Finance"
                     *               }
                     *             ]
                     *           },
                     *           "device_type": "Mac",
                     *           "form_factor": "computer",
                     *           "registration_suspended_at": null,
                     *           "agent_version": "5.19.0",
                     *           "enrolled_at": "2026-03-02T09:58:40.000Z",
                     *           "identity_conflict_since": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DevicePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly addDeviceGroupMembers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device group. */
                readonly deviceGroupId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "device_ids": [
                 *         "1042",
                 *         1043
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["DeviceGroupMembershipRequest"];
            };
        };
        readonly responses: {
            /** @description Which devices were added to a device group or removed from it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "group_id": "8",
                     *       "data": [
                     *         {
                     *           "device_id": "1042",
                     *           "group_id": "8"
                     *         },
                     *         {
                     *           "device_id": "1043",
                     *           "group_id": "8"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceGroupMembership"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly removeDeviceGroupMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device group. */
                readonly deviceGroupId: string;
                /** @description Identifier of the membership. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Which devices were added to a device group or removed from it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "group_id": "8",
                     *       "data": [
                     *         {
                     *           "device_id": "1042",
                     *           "group_id": "8"
                     *         },
                     *         {
                     *           "device_id": "1043",
                     *           "group_id": "8"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeviceGroupMembership"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listPeople: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `email` | string | `:` `~` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "311",
                     *           "name": "Tomas Okafor",
                     *           "email": "tomas@acme.example",
                     *           "created_at": "2025-02-03T08:30:00.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "has_registered_device": true,
                     *           "usernames": [
                     *             "tomas",
                     *             "tomas@acme.example"
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PersonPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getPerson: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the people. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Someone who signs in with devices of the organization. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "311",
                     *       "name": "Tomas Okafor",
                     *       "email": "tomas@acme.example",
                     *       "created_at": "2025-02-03T08:30:00.000Z",
                     *       "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *       "has_registered_device": true,
                     *       "usernames": [
                     *         "tomas",
                     *         "tomas@acme.example"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Person"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listDeprovisionedPeople: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `email` | string | `:` `~` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "311",
                     *           "name": "Tomas Okafor",
                     *           "email": "tomas@acme.example",
                     *           "created_at": "2025-02-03T08:30:00.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "has_registered_device": false,
                     *           "api_url": "https://muster.example.com/people/311"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeprovisionedPersonPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listPersonGroups: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `name` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "27",
                     *           "name": "Finance"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PersonGroupPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getPersonGroup: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the person group. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A group of people, kept by the identity provider. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "27",
                     *       "name": "Finance"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PersonGroup"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listGroupsOfPerson: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `name` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the person. */
                readonly personId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "27",
                     *           "name": "Finance"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PersonGroupPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listPeopleOfGroup: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `email` | string | `:` `~` | several values |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `last_authenticated_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the person group. */
                readonly personGroupId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "311",
                     *           "name": "Tomas Okafor",
                     *           "email": "tomas@acme.example",
                     *           "created_at": "2025-02-03T08:30:00.000Z",
                     *           "last_authenticated_at": "2026-11-20T07:58:41.207Z",
                     *           "has_registered_device": true,
                     *           "usernames": [
                     *             "tomas",
                     *             "tomas@acme.example"
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PersonPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listChecks: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `name` | string | `:` `~` | several values |
                 *     | `check_description` | string | `:` `~` | several values |
                 *     | `check_tag_name` | string | `:` `~` | several values |
                 *     | `check_tag_description` | string | `:` `~` | several values |
                 *     | `check_tag_id` | string | `:` `~` | several values |
                 *     | `slug` | string | `:` `~` | several values |
                 *     | `check_slug` | string | `:` `~` | several values |
                 *     | `type` | enum: osquery, custom, external | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "57",
                     *           "name": "FileVault is on",
                     *           "slug": "macos-disk-encryption",
                     *           "compatible_platforms": [
                     *             "darwin"
                     *           ],
                     *           "description": "Looks for a volume that FileVault encrypts.",
                     *           "topics": [
                     *             "disk-encryption"
                     *           ],
                     *           "osquery_sql_template": "SELECT CASE WHEN TOTAL(filevault_status = 'on') > 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM disk_encryption;",
                     *           "issue_title": "FileVault is off",
                     *           "fix_instructions_template": "Open System Settings, Privacy & Security, and turn on FileVault.",
                     *           "rationale_template": "Without encryption, anyone who holds the disk can read it.",
                     *           "check_tags": [
                     *             {
                     *               "id": "3",
                     *               "name": "Baseline",
                     *               "description": "Required on every device.",
                     *               "color": "#2f6fed"
                     *             }
                     *           ],
                     *           "blocks_auth_configuration": {
                     *             "blocking_enabled": true,
                     *             "grace_period_days": 7,
                     *             "blocking_group_names": [],
                     *             "blocking_exempt_group_names": [
                     *               "Early adopters"
                     *             ]
                     *           },
                     *           "targeting_configuration": {
                     *             "excluded_groups": [
                     *               "8"
                     *             ],
                     *             "targeted_groups": [
                     *               "macos"
                     *             ]
                     *           },
                     *           "percent_passing": 96,
                     *           "kolide_provided": true,
                     *           "type": "osquery"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getCheck: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A rule that devices are held to. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "57",
                     *       "name": "FileVault is on",
                     *       "slug": "macos-disk-encryption",
                     *       "compatible_platforms": [
                     *         "darwin"
                     *       ],
                     *       "description": "Looks for a volume that FileVault encrypts.",
                     *       "topics": [
                     *         "disk-encryption"
                     *       ],
                     *       "osquery_sql_template": "SELECT CASE WHEN TOTAL(filevault_status = 'on') > 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM disk_encryption;",
                     *       "issue_title": "FileVault is off",
                     *       "fix_instructions_template": "Open System Settings, Privacy & Security, and turn on FileVault.",
                     *       "rationale_template": "Without encryption, anyone who holds the disk can read it.",
                     *       "check_tags": [
                     *         {
                     *           "id": "3",
                     *           "name": "Baseline",
                     *           "description": "Required on every device.",
                     *           "color": "#2f6fed"
                     *         }
                     *       ],
                     *       "blocks_auth_configuration": {
                     *         "blocking_enabled": true,
                     *         "grace_period_days": 7,
                     *         "blocking_group_names": [],
                     *         "blocking_exempt_group_names": [
                     *           "Early adopters"
                     *         ]
                     *       },
                     *       "targeting_configuration": {
                     *         "excluded_groups": [
                     *           "8"
                     *         ],
                     *         "targeted_groups": [
                     *           "macos"
                     *         ]
                     *       },
                     *       "percent_passing": 96,
                     *       "kolide_provided": true,
                     *       "type": "osquery"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Check"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getCheckConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly checkId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How an organization runs a check and what failing it means. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "41",
                     *       "organization_id": "1",
                     *       "check_id": "58",
                     *       "name": "Screen locks quickly after sleep",
                     *       "check_slug": "macos-screen-lock",
                     *       "issue_title": "Screen locks too late",
                     *       "options": "{\"max_grace_seconds\":60}",
                     *       "use_custom_rationale_template": false,
                     *       "use_custom_fix_instructions_template": false,
                     *       "paused": false,
                     *       "paused_by": null,
                     *       "paused_at": null,
                     *       "revision": "4",
                     *       "block_auth_grace_period_days": 7,
                     *       "auth_check_run_shelf_life_seconds": 3600,
                     *       "begins_blocking_on": "2026-12-01T00:00:00.000Z",
                     *       "snooze_disallowed": false,
                     *       "exemptions_disallowed": false,
                     *       "customized_remediation_targeting": false,
                     *       "customized_run_targeting": true,
                     *       "remediation_strategy": "warn_then_block",
                     *       "targeted_groups": [
                     *         "macos"
                     *       ],
                     *       "excluded_groups": [
                     *         "8"
                     *       ],
                     *       "blocking_allowed_groups": [],
                     *       "blocking_excluded_groups": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckConfiguration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateCheckConfigurationWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly checkId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "options": {
                 *         "max_grace_seconds": 60
                 *       },
                 *       "remediation_strategy": "warn_then_block",
                 *       "block_auth_grace_period_days": 7,
                 *       "targeted_groups": [
                 *         "macos",
                 *         12
                 *       ],
                 *       "excluded_groups": [
                 *         "8"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CheckConfigurationRequest"];
            };
        };
        readonly responses: {
            /** @description How an organization runs a check and what failing it means. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "41",
                     *       "organization_id": "1",
                     *       "check_id": "58",
                     *       "name": "Screen locks quickly after sleep",
                     *       "check_slug": "macos-screen-lock",
                     *       "issue_title": "Screen locks too late",
                     *       "options": "{\"max_grace_seconds\":60}",
                     *       "use_custom_rationale_template": false,
                     *       "use_custom_fix_instructions_template": false,
                     *       "paused": false,
                     *       "paused_by": null,
                     *       "paused_at": null,
                     *       "revision": "4",
                     *       "block_auth_grace_period_days": 7,
                     *       "auth_check_run_shelf_life_seconds": 3600,
                     *       "begins_blocking_on": "2026-12-01T00:00:00.000Z",
                     *       "snooze_disallowed": false,
                     *       "exemptions_disallowed": false,
                     *       "customized_remediation_targeting": false,
                     *       "customized_run_targeting": true,
                     *       "remediation_strategy": "warn_then_block",
                     *       "targeted_groups": [
                     *         "macos"
                     *       ],
                     *       "excluded_groups": [
                     *         "8"
                     *       ],
                     *       "blocking_allowed_groups": [],
                     *       "blocking_excluded_groups": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckConfiguration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateCheckConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly checkId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "options": {
                 *         "max_grace_seconds": 60
                 *       },
                 *       "remediation_strategy": "warn_then_block",
                 *       "block_auth_grace_period_days": 7,
                 *       "targeted_groups": [
                 *         "macos",
                 *         12
                 *       ],
                 *       "excluded_groups": [
                 *         "8"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CheckConfigurationRequest"];
            };
        };
        readonly responses: {
            /** @description How an organization runs a check and what failing it means. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "41",
                     *       "organization_id": "1",
                     *       "check_id": "58",
                     *       "name": "Screen locks quickly after sleep",
                     *       "check_slug": "macos-screen-lock",
                     *       "issue_title": "Screen locks too late",
                     *       "options": "{\"max_grace_seconds\":60}",
                     *       "use_custom_rationale_template": false,
                     *       "use_custom_fix_instructions_template": false,
                     *       "paused": false,
                     *       "paused_by": null,
                     *       "paused_at": null,
                     *       "revision": "4",
                     *       "block_auth_grace_period_days": 7,
                     *       "auth_check_run_shelf_life_seconds": 3600,
                     *       "begins_blocking_on": "2026-12-01T00:00:00.000Z",
                     *       "snooze_disallowed": false,
                     *       "exemptions_disallowed": false,
                     *       "customized_remediation_targeting": false,
                     *       "customized_run_targeting": true,
                     *       "remediation_strategy": "warn_then_block",
                     *       "targeted_groups": [
                     *         "macos"
                     *       ],
                     *       "excluded_groups": [
                     *         "8"
                     *       ],
                     *       "blocking_allowed_groups": [],
                     *       "blocking_excluded_groups": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckConfiguration"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listCheckResultsOfDevice: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `device_display_name` | string | `:` `~` | several values |
                 *     | `ran_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `check_name` | string | `:` `~` | several values |
                 *     | `status` | enum: unknown, passing, failing, errored, inapplicable, stale, pending, out_of_scope | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "check_id": "57",
                     *           "check_slug": "macos-disk-encryption",
                     *           "check_name": "FileVault is on",
                     *           "device_id": "1042",
                     *           "device_display_name": "Tomas's MacBook Pro",
                     *           "ran_at": "2026-11-20T08:41:12.633Z",
                     *           "exemption_reason": null,
                     *           "exemption_expires_at": null,
                     *           "check_result_data": [
                     *             {
                     *               "volumes": "2",
                     *               "protected_volumes": "0",
                     *               "KOLIDE_CHECK_STATUS": "FAIL"
                     *             }
                     *           ],
                     *           "status": "failing"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckResultPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listCheckResultsOfCheck: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `device_display_name` | string | `:` `~` | several values |
                 *     | `ran_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `check_name` | string | `:` `~` | several values |
                 *     | `status` | enum: unknown, passing, failing, errored, inapplicable, stale, pending, out_of_scope | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly checkId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "check_id": "57",
                     *           "check_slug": "macos-disk-encryption",
                     *           "check_name": "FileVault is on",
                     *           "device_id": "1042",
                     *           "device_display_name": "Tomas's MacBook Pro",
                     *           "ran_at": "2026-11-20T08:41:12.633Z",
                     *           "exemption_reason": null,
                     *           "exemption_expires_at": null,
                     *           "check_result_data": [
                     *             {
                     *               "volumes": "2",
                     *               "protected_volumes": "0",
                     *               "KOLIDE_CHECK_STATUS": "FAIL"
                     *             }
                     *           ],
                     *           "status": "failing"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckResultPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly createCheckRefresh: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "check_id": "57"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CheckRefreshRequest"];
            };
        };
        readonly responses: {
            /** @description That a check was asked to run again on a device. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "1042",
                     *       "check_id": "57",
                     *       "check_refresh_initiated_at": "2026-11-20T09:14:03.120Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CheckRefresh"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly runExternalCheck: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the check. */
                readonly checkId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "device_id": "1042",
                 *       "check_data": {
                 *         "vendor": "Acme MDM",
                 *         "enrolled": true,
                 *         "KOLIDE_CHECK_STATUS": "PASS"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ExternalCheckRunRequest"];
            };
        };
        readonly responses: {
            /** @description A result that was reported from outside. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": "203",
                     *       "device_id": "1042",
                     *       "status": "PASS",
                     *       "check_data": "{\"vendor\":\"Acme MDM\",\"enrolled\":true,\"KOLIDE_CHECK_STATUS\":\"PASS\"}",
                     *       "person_id": null,
                     *       "person_name": null,
                     *       "person_email": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExternalCheckRun"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listCustomCheckDrafts: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `name` | string | `:` `~` | several values |
                 *     | `slug` | string | `:` `~` | several values |
                 *     | `created_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `id` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "12",
                     *           "name": "Hosts file is untouched",
                     *           "slug": "hosts-file-untouched",
                     *           "description": "Looks for names in the hosts file that lead elsewhere.",
                     *           "issue_title": "The hosts file redirects a name",
                     *           "osquery_sql": "SELECT hostnames, address, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts;",
                     *           "platforms": [
                     *             "darwin",
                     *             "linux"
                     *           ],
                     *           "rationale_template": "A name that leads elsewhere can send your password to a stranger.",
                     *           "fix_instructions_template": "1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.",
                     *           "privacy_info": "Names and addresses in the hosts file.",
                     *           "check_type": "osquery",
                     *           "target_type": "devices",
                     *           "requires_primary_key": true,
                     *           "primary_key_column": "hostnames",
                     *           "published": true,
                     *           "custom_check_id": "88",
                     *           "osquery_sql_status": "good",
                     *           "notification_templates_status": "good",
                     *           "details_status": "good",
                     *           "privacy_center_details_status": "good",
                     *           "publishable": true,
                     *           "template_data_examples": "[{\"hostnames\":\"bank.example\",\"address\":\"203.0.113.9\",\"KOLIDE_CHECK_STATUS\":\"FAIL\"}]",
                     *           "privacy_center_example_data": "[{\"hostnames\":\"localhost\",\"address\":\"127.0.0.1\"}]",
                     *           "created_at": "2026-11-18T09:20:00.000Z",
                     *           "updated_at": "2026-11-19T15:02:41.118Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CustomCheckDraftPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getCustomCheckDraft: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the custom check draft. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A check that the organization is writing. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "name": "Hosts file is untouched",
                     *       "slug": "hosts-file-untouched",
                     *       "description": "Looks for names in the hosts file that lead elsewhere.",
                     *       "issue_title": "The hosts file redirects a name",
                     *       "osquery_sql": "SELECT hostnames, address, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts;",
                     *       "platforms": [
                     *         "darwin",
                     *         "linux"
                     *       ],
                     *       "rationale_template": "A name that leads elsewhere can send your password to a stranger.",
                     *       "fix_instructions_template": "1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.",
                     *       "privacy_info": "Names and addresses in the hosts file.",
                     *       "check_type": "osquery",
                     *       "target_type": "devices",
                     *       "requires_primary_key": true,
                     *       "primary_key_column": "hostnames",
                     *       "published": true,
                     *       "custom_check_id": "88",
                     *       "osquery_sql_status": "good",
                     *       "notification_templates_status": "good",
                     *       "details_status": "good",
                     *       "privacy_center_details_status": "good",
                     *       "publishable": true,
                     *       "template_data_examples": "[{\"hostnames\":\"bank.example\",\"address\":\"203.0.113.9\",\"KOLIDE_CHECK_STATUS\":\"FAIL\"}]",
                     *       "privacy_center_example_data": "[{\"hostnames\":\"localhost\",\"address\":\"127.0.0.1\"}]",
                     *       "created_at": "2026-11-18T09:20:00.000Z",
                     *       "updated_at": "2026-11-19T15:02:41.118Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CustomCheckDraft"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteCustomCheckDraft: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the custom check draft. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A check that the organization is writing. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "name": "Hosts file is untouched",
                     *       "slug": "hosts-file-untouched",
                     *       "description": "Looks for names in the hosts file that lead elsewhere.",
                     *       "issue_title": "The hosts file redirects a name",
                     *       "osquery_sql": "SELECT hostnames, address, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts;",
                     *       "platforms": [
                     *         "darwin",
                     *         "linux"
                     *       ],
                     *       "rationale_template": "A name that leads elsewhere can send your password to a stranger.",
                     *       "fix_instructions_template": "1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.",
                     *       "privacy_info": "Names and addresses in the hosts file.",
                     *       "check_type": "osquery",
                     *       "target_type": "devices",
                     *       "requires_primary_key": true,
                     *       "primary_key_column": "hostnames",
                     *       "published": true,
                     *       "custom_check_id": "88",
                     *       "osquery_sql_status": "good",
                     *       "notification_templates_status": "good",
                     *       "details_status": "good",
                     *       "privacy_center_details_status": "good",
                     *       "publishable": true,
                     *       "template_data_examples": "[{\"hostnames\":\"bank.example\",\"address\":\"203.0.113.9\",\"KOLIDE_CHECK_STATUS\":\"FAIL\"}]",
                     *       "privacy_center_example_data": "[{\"hostnames\":\"localhost\",\"address\":\"127.0.0.1\"}]",
                     *       "created_at": "2026-11-18T09:20:00.000Z",
                     *       "updated_at": "2026-11-19T15:02:41.118Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CustomCheckDraft"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listIssues: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `detected_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `resolved_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `blocks_device_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `title` | string | `:` `~` | several values |
                 *     | `issue_key` | string | `:` `~` | several values, `null` |
                 *     | `issue_value` | string | `:` `~` | several values, `null` |
                 *     | `exempted` | boolean | `:` |  |
                 *     | `check_id` | string | `:` `~` | several values |
                 *     | `device_id` | string | `:` `~` | several values |
                 *     | `last_rechecked_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "7719",
                     *           "issue_key": "path",
                     *           "issue_value": "/Users/tomas/.ssh/id_ed25519",
                     *           "title": "Unencrypted SSH key",
                     *           "value": {
                     *             "path": "/Users/tomas/.ssh/id_ed25519",
                     *             "encrypted": "0",
                     *             "KOLIDE_CHECK_STATUS": "FAIL"
                     *           },
                     *           "exempted": false,
                     *           "resolved_at": null,
                     *           "detected_at": "2026-11-17T09:00:00.000Z",
                     *           "blocks_device_at": "2026-11-24T09:00:00.000Z",
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "check_information": {
                     *             "identifier": "57",
                     *             "link": "https://muster.example.com/checks/57"
                     *           },
                     *           "last_rechecked_at": "2026-11-20T08:41:12.633Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IssuePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getIssue: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the issue. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A failure of a check on a device. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7719",
                     *       "issue_key": "path",
                     *       "issue_value": "/Users/tomas/.ssh/id_ed25519",
                     *       "title": "Unencrypted SSH key",
                     *       "value": {
                     *         "path": "/Users/tomas/.ssh/id_ed25519",
                     *         "encrypted": "0",
                     *         "KOLIDE_CHECK_STATUS": "FAIL"
                     *       },
                     *       "exempted": false,
                     *       "resolved_at": null,
                     *       "detected_at": "2026-11-17T09:00:00.000Z",
                     *       "blocks_device_at": "2026-11-24T09:00:00.000Z",
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "check_information": {
                     *         "identifier": "57",
                     *         "link": "https://muster.example.com/checks/57"
                     *       },
                     *       "last_rechecked_at": "2026-11-20T08:41:12.633Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Issue"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listOpenIssuesOfDevice: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `detected_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `resolved_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `blocks_device_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `title` | string | `:` `~` | several values |
                 *     | `issue_key` | string | `:` `~` | several values, `null` |
                 *     | `issue_value` | string | `:` `~` | several values, `null` |
                 *     | `exempted` | boolean | `:` |  |
                 *     | `check_id` | string | `:` `~` | several values |
                 *     | `device_id` | string | `:` `~` | several values |
                 *     | `last_rechecked_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the device. */
                readonly deviceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "7719",
                     *           "issue_key": "path",
                     *           "issue_value": "/Users/tomas/.ssh/id_ed25519",
                     *           "title": "Unencrypted SSH key",
                     *           "value": {
                     *             "path": "/Users/tomas/.ssh/id_ed25519",
                     *             "encrypted": "0",
                     *             "KOLIDE_CHECK_STATUS": "FAIL"
                     *           },
                     *           "exempted": false,
                     *           "resolved_at": null,
                     *           "detected_at": "2026-11-17T09:00:00.000Z",
                     *           "blocks_device_at": "2026-11-24T09:00:00.000Z",
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "check_information": {
                     *             "identifier": "57",
                     *             "link": "https://muster.example.com/checks/57"
                     *           },
                     *           "last_rechecked_at": "2026-11-20T08:41:12.633Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IssuePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listOpenIssuesOfPerson: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `detected_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `resolved_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `blocks_device_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 *     | `title` | string | `:` `~` | several values |
                 *     | `issue_key` | string | `:` `~` | several values, `null` |
                 *     | `issue_value` | string | `:` `~` | several values, `null` |
                 *     | `exempted` | boolean | `:` |  |
                 *     | `check_id` | string | `:` `~` | several values |
                 *     | `device_id` | string | `:` `~` | several values |
                 *     | `last_rechecked_at` | datetime | `:` `<` `<=` `>` `>=` | `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the person. */
                readonly personId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "7719",
                     *           "issue_key": "path",
                     *           "issue_value": "/Users/tomas/.ssh/id_ed25519",
                     *           "title": "Unencrypted SSH key",
                     *           "value": {
                     *             "path": "/Users/tomas/.ssh/id_ed25519",
                     *             "encrypted": "0",
                     *             "KOLIDE_CHECK_STATUS": "FAIL"
                     *           },
                     *           "exempted": false,
                     *           "resolved_at": null,
                     *           "detected_at": "2026-11-17T09:00:00.000Z",
                     *           "blocks_device_at": "2026-11-24T09:00:00.000Z",
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "check_information": {
                     *             "identifier": "57",
                     *             "link": "https://muster.example.com/checks/57"
                     *           },
                     *           "last_rechecked_at": "2026-11-20T08:41:12.633Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["IssuePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listExemptionRequests: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `status` | enum: open, withdrawn, approved, denied | `:` `~` | several values |
                 *     | `requested_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `requester_message` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "87",
                     *           "status": "denied",
                     *           "internal_explanation": "The build server is no exception.",
                     *           "denial_explanation": "Please move the key into the agent; the help desk shows you how.",
                     *           "requested_at": "2026-11-20T09:14:03.120Z",
                     *           "requester_message": "The deployment needs this key without a passphrase.",
                     *           "requester_information": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "issues": [
                     *             {
                     *               "identifier": "7719",
                     *               "link": "https://muster.example.com/issues/7719"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExemptionRequestPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getExemptionRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the exemption request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description That the owner of a device asks for issues to be exempted. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "87",
                     *       "status": "denied",
                     *       "internal_explanation": "The build server is no exception.",
                     *       "denial_explanation": "Please move the key into the agent; the help desk shows you how.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "requester_message": "The deployment needs this key without a passphrase.",
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "issues": [
                     *         {
                     *           "identifier": "7719",
                     *           "link": "https://muster.example.com/issues/7719"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExemptionRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly decideExemptionRequestWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the exemption request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "status": "approved",
                 *       "internal_message": "Until the build server is replaced."
                 *     }
                 */
                readonly "application/json": components["schemas"]["ExemptionRequestDecision"];
            };
        };
        readonly responses: {
            /** @description That the owner of a device asks for issues to be exempted. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "87",
                     *       "status": "denied",
                     *       "internal_explanation": "The build server is no exception.",
                     *       "denial_explanation": "Please move the key into the agent; the help desk shows you how.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "requester_message": "The deployment needs this key without a passphrase.",
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "issues": [
                     *         {
                     *           "identifier": "7719",
                     *           "link": "https://muster.example.com/issues/7719"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExemptionRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly decideExemptionRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the exemption request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "status": "approved",
                 *       "internal_message": "Until the build server is replaced."
                 *     }
                 */
                readonly "application/json": components["schemas"]["ExemptionRequestDecision"];
            };
        };
        readonly responses: {
            /** @description That the owner of a device asks for issues to be exempted. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "87",
                     *       "status": "denied",
                     *       "internal_explanation": "The build server is no exception.",
                     *       "denial_explanation": "Please move the key into the agent; the help desk shows you how.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "requester_message": "The deployment needs this key without a passphrase.",
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "issues": [
                     *         {
                     *           "identifier": "7719",
                     *           "link": "https://muster.example.com/issues/7719"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExemptionRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listRegistrationRequests: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `status` | enum: pending, approved, denied | `:` `~` | several values |
                 *     | `requested_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `requester_message` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "58",
                     *           "status": "approved",
                     *           "requester_message": "My new laptop.",
                     *           "internal_denial_note": null,
                     *           "internal_approval_note": "Bought on order 4711.",
                     *           "requested_at": "2026-11-20T09:14:03.120Z",
                     *           "end_user_denial_note": null,
                     *           "requester_information": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RegistrationRequestPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getRegistrationRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the registration request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description That a person asks for a device to be registered to them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "58",
                     *       "status": "approved",
                     *       "requester_message": "My new laptop.",
                     *       "internal_denial_note": null,
                     *       "internal_approval_note": "Bought on order 4711.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "end_user_denial_note": null,
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RegistrationRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly decideRegistrationRequestWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the registration request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "status": "approved",
                 *       "internal_message": "Bought on order 4711."
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegistrationRequestDecision"];
            };
        };
        readonly responses: {
            /** @description That a person asks for a device to be registered to them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "58",
                     *       "status": "approved",
                     *       "requester_message": "My new laptop.",
                     *       "internal_denial_note": null,
                     *       "internal_approval_note": "Bought on order 4711.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "end_user_denial_note": null,
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RegistrationRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly decideRegistrationRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the registration request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "status": "approved",
                 *       "internal_message": "Bought on order 4711."
                 *     }
                 */
                readonly "application/json": components["schemas"]["RegistrationRequestDecision"];
            };
        };
        readonly responses: {
            /** @description That a person asks for a device to be registered to them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "58",
                     *       "status": "approved",
                     *       "requester_message": "My new laptop.",
                     *       "internal_denial_note": null,
                     *       "internal_approval_note": "Bought on order 4711.",
                     *       "requested_at": "2026-11-20T09:14:03.120Z",
                     *       "end_user_denial_note": null,
                     *       "requester_information": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_information": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RegistrationRequest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listPackages: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "built_at": "2026-11-20T09:14:03.120Z",
                     *           "id": "3",
                     *           "url": "https://trust.example.com/package_downloads/3",
                     *           "version": "0.1.0-1",
                     *           "agent": "osquery",
                     *           "platform": "linux",
                     *           "format": "deb",
                     *           "file_name": "muster-osquery_0.1.0-1_all.deb",
                     *           "problem": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PackagePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getPackage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the package. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What you install on a device so that it enrolls. `agent`, `platform`, `format`, `file_name` and `problem` are extensions of this API. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "built_at": "2026-11-20T09:14:03.120Z",
                     *       "id": "3",
                     *       "url": "https://trust.example.com/package_downloads/3",
                     *       "version": "0.1.0-1",
                     *       "agent": "osquery",
                     *       "platform": "linux",
                     *       "format": "deb",
                     *       "file_name": "muster-osquery_0.1.0-1_all.deb",
                     *       "problem": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Package"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly downloadPackage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the package download. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description Tells the name of the file.
                     * @example attachment; filename="install.sh"
                     */
                    readonly "Content-Disposition"?: string;
                    /**
                     * @description The bytes of the file.
                     * @example 4711
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description SHA-256 of the file, in hexadecimal and quotes.
                     * @example "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
                     */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/vnd.debian.binary-package": string;
                    readonly "application/gzip": string;
                    readonly "application/x-sh": string;
                    readonly "text/plain; charset=utf-8": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listLiveQueryCampaigns: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `created_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `name` | string | `:` `~` | several values |
                 *     | `published` | boolean | `:` |  |
                 *     | `tables_used` | string list | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "81",
                     *           "name": "Who listens on port 22",
                     *           "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *           "created_at": "2026-11-20T09:14:03.120Z",
                     *           "published": true,
                     *           "revision": 1,
                     *           "tables_used": [
                     *             "listening_ports"
                     *           ],
                     *           "successful_devices_count": 231,
                     *           "errored_devices_count": 2,
                     *           "waiting_devices_count": 17
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaignPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly createLiveQueryCampaign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "targeted_device_ids": [
                 *         "1042",
                 *         1043
                 *       ],
                 *       "target_linux_devices": true,
                 *       "sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                 *       "name": "Who listens on port 22"
                 *     }
                 */
                readonly "application/json": components["schemas"]["LiveQueryCampaignRequest"];
            };
        };
        readonly responses: {
            /** @description One osquery statement that chosen devices run as soon as they are online. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "81",
                     *       "name": "Who listens on port 22",
                     *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "published": true,
                     *       "revision": 1,
                     *       "tables_used": [
                     *         "listening_ports"
                     *       ],
                     *       "successful_devices_count": 231,
                     *       "errored_devices_count": 2,
                     *       "waiting_devices_count": 17
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaign"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getLiveQueryCampaign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One osquery statement that chosen devices run as soon as they are online. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "81",
                     *       "name": "Who listens on port 22",
                     *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "published": true,
                     *       "revision": 1,
                     *       "tables_used": [
                     *         "listening_ports"
                     *       ],
                     *       "successful_devices_count": 231,
                     *       "errored_devices_count": 2,
                     *       "waiting_devices_count": 17
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaign"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateLiveQueryCampaignWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sql": "SELECT pid, address FROM listening_ports WHERE port = 2222"
                 *     }
                 */
                readonly "application/json": components["schemas"]["LiveQueryCampaignChange"];
            };
        };
        readonly responses: {
            /** @description One osquery statement that chosen devices run as soon as they are online. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "81",
                     *       "name": "Who listens on port 22",
                     *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "published": true,
                     *       "revision": 1,
                     *       "tables_used": [
                     *         "listening_ports"
                     *       ],
                     *       "successful_devices_count": 231,
                     *       "errored_devices_count": 2,
                     *       "waiting_devices_count": 17
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaign"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteLiveQueryCampaign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One osquery statement that chosen devices run as soon as they are online. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "81",
                     *       "name": "Who listens on port 22",
                     *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "published": true,
                     *       "revision": 1,
                     *       "tables_used": [
                     *         "listening_ports"
                     *       ],
                     *       "successful_devices_count": 231,
                     *       "errored_devices_count": 2,
                     *       "waiting_devices_count": 17
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaign"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateLiveQueryCampaign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sql": "SELECT pid, address FROM listening_ports WHERE port = 2222"
                 *     }
                 */
                readonly "application/json": components["schemas"]["LiveQueryCampaignChange"];
            };
        };
        readonly responses: {
            /** @description One osquery statement that chosen devices run as soon as they are online. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "81",
                     *       "name": "Who listens on port 22",
                     *       "osquery_sql": "SELECT pid, address FROM listening_ports WHERE port = 22",
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "published": true,
                     *       "revision": 1,
                     *       "tables_used": [
                     *         "listening_ports"
                     *       ],
                     *       "successful_devices_count": 231,
                     *       "errored_devices_count": 2,
                     *       "waiting_devices_count": 17
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryCampaign"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listLiveQueryResults: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `error_message` | string | `:` `~` | several values, `null` |
                 *     | `warning_message` | string | `:` `~` | several values, `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly liveQueryCampaignId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "90017",
                     *           "result_count": "1",
                     *           "kept_count": "1",
                     *           "rows_url": "https://muster.example.com/live_query_campaigns/81/query_results/90017/rows",
                     *           "error_message": null,
                     *           "revision": 1,
                     *           "warning_message": null,
                     *           "device_information": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "results": [
                     *             {
                     *               "pid": "812",
                     *               "address": "0.0.0.0"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryResultPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listLiveQueryRows: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the live query campaign. */
                readonly liveQueryCampaignId: string;
                /** @description Identifier of the result. */
                readonly resultId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "1",
                     *           "results": [
                     *             {
                     *               "pid": "812",
                     *               "address": "0.0.0.0"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LiveQueryRowsPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listReportingTables: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "device_uptime",
                     *           "category": "System",
                     *           "description": "For how many days the device has been running.",
                     *           "column_names": [
                     *             "device_id",
                     *             "device_name",
                     *             "taken_at",
                     *             "days"
                     *           ],
                     *           "searchable_fields": [
                     *             "device_id"
                     *           ],
                     *           "documentation_url": "https://muster.example/docs/reporting#device_uptime"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReportingTablePage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getReportingTable: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Name of the table. */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A table of the organization that its records can be read from and reporting queries can be written over. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "device_uptime",
                     *       "category": "System",
                     *       "description": "For how many days the device has been running.",
                     *       "column_names": [
                     *         "device_id",
                     *         "device_name",
                     *         "taken_at",
                     *         "days"
                     *       ],
                     *       "searchable_fields": [
                     *         "device_id"
                     *       ],
                     *       "documentation_url": "https://muster.example/docs/reporting#device_uptime"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReportingTable"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listTableRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `device_id` | identifier | `:` | several values |
                 *     | `check_id` | identifier | `:` | several values |
                 *     | `person_id` | identifier | `:` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Name of the table. */
                readonly tableName: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "90412",
                     *           "device_id": "1042",
                     *           "device_name": "Tomas's MacBook Pro",
                     *           "taken_at": "2026-11-20T08:41:12.000Z",
                     *           "days": "12"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["TableRecordPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listReportingQueries: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /** @description `1` or `true` leaves `results` out. */
                readonly omit_results?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "12",
                     *           "name": "Devices by failing checks",
                     *           "osquery_sql": "select device_id, device_name, count(*) as failing_checks from check_results where status = 'failing' group by 1, 2",
                     *           "result_count": 1,
                     *           "results_truncated": false,
                     *           "results_updated_at": "2026-11-20T04:00:00.000Z",
                     *           "error_message": null,
                     *           "created_at": "2026-01-15T13:20:00.000Z",
                     *           "results": [
                     *             {
                     *               "device_id": "1042",
                     *               "device_name": "Tomas's MacBook Pro",
                     *               "failing_checks": 3
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReportingQueryPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getReportingQuery: {
        readonly parameters: {
            readonly query?: {
                /** @description `1` or `true` leaves `results` out. */
                readonly omit_results?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the query. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description SQL that administrators wrote over the reporting tables, and the first rows of its latest run. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "name": "Devices by failing checks",
                     *       "osquery_sql": "select device_id, device_name, count(*) as failing_checks from check_results where status = 'failing' group by 1, 2",
                     *       "result_count": 1,
                     *       "results_truncated": false,
                     *       "results_updated_at": "2026-11-20T04:00:00.000Z",
                     *       "error_message": null,
                     *       "created_at": "2026-01-15T13:20:00.000Z",
                     *       "results": [
                     *         {
                     *           "device_id": "1042",
                     *           "device_name": "Tomas's MacBook Pro",
                     *           "failing_checks": 3
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReportingQuery"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listReportingQueryResults: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the query. */
                readonly queryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "device_id": "1042",
                     *           "device_name": "Tomas's MacBook Pro",
                     *           "failing_checks": 3
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ReportingQueryResultPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listAuditLogs: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `timestamp` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `actor_name` | string | `:` `~` | several values |
                 *     | `description` | string | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "90211",
                     *           "timestamp": "2026-11-20T09:14:03.120Z",
                     *           "actor_name": "Maya Lindqvist",
                     *           "description": "Changed the grace period of the check \"FileVault is on\" from 7 to 3 days.",
                     *           "actor_info": {
                     *             "actor_name": "Maya Lindqvist",
                     *             "actor_email": "maya@acme.example",
                     *             "actor_type": "User"
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditLogPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getAuditLog: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the audit log. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One action that changed or revealed something in the organization. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "90211",
                     *       "timestamp": "2026-11-20T09:14:03.120Z",
                     *       "actor_name": "Maya Lindqvist",
                     *       "description": "Changed the grace period of the check \"FileVault is on\" from 7 to 3 days.",
                     *       "actor_info": {
                     *         "actor_name": "Maya Lindqvist",
                     *         "actor_email": "maya@acme.example",
                     *         "actor_type": "User"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditLog"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listAuthLogs: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `timestamp` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `city` | string | `:` `~` | several values, `null` |
                 *     | `country` | string | `:` `~` | several values, `null` |
                 *     | `ip_address` | string | `:` `~` | several values |
                 *     | `agent_version` | string | `:` `~` | several values, `null` |
                 *     | `browser_name` | string | `:` `~` | several values |
                 *     | `person_name` | string | `:` `~` | several values |
                 *     | `person_email` | string | `:` `~` | several values |
                 *     | `person_id` | string | `:` `~` | several values, `null` |
                 *     | `device_id` | string | `:` `~` | several values, `null` |
                 *     | `result` | enum: Success, Fail | `:` `~` | several values |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "50117",
                     *           "timestamp": "2026-11-20T07:58:12.004Z",
                     *           "person_name": "Tomas Okafor",
                     *           "person_email": "tomas@acme.example",
                     *           "person_info": {
                     *             "identifier": "311",
                     *             "link": "https://muster.example.com/people/311"
                     *           },
                     *           "device_info": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "result": "Success",
                     *           "initial_status": "will_block",
                     *           "ip_address": "198.51.100.24",
                     *           "agent_version": "5.19.0",
                     *           "country": "Sweden",
                     *           "city": "Uppsala",
                     *           "browser_name": "Firefox",
                     *           "browser_user_agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
                     *           "issues_displayed": [
                     *             {
                     *               "title": "Unencrypted SSH key",
                     *               "blocking_status": "will_block",
                     *               "id": "7719",
                     *               "link": "https://muster.example.com/issues/7719"
                     *             }
                     *           ],
                     *           "events": [
                     *             {
                     *               "timestamp": "2026-11-20T07:58:12.004Z",
                     *               "event_type": "sign_in_attempt",
                     *               "event_description": "Tomas Okafor began to sign in."
                     *             },
                     *             {
                     *               "timestamp": "2026-11-20T07:58:41.207Z",
                     *               "event_type": "sign_in_success",
                     *               "event_description": "Tomas Okafor signed in."
                     *             }
                     *           ],
                     *           "okta_app_instance_id": "",
                     *           "okta_app_name": ""
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuthLogPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getAuthLog: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the auth log. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One attempt of a person to sign in. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "50117",
                     *       "timestamp": "2026-11-20T07:58:12.004Z",
                     *       "person_name": "Tomas Okafor",
                     *       "person_email": "tomas@acme.example",
                     *       "person_info": {
                     *         "identifier": "311",
                     *         "link": "https://muster.example.com/people/311"
                     *       },
                     *       "device_info": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "result": "Success",
                     *       "initial_status": "will_block",
                     *       "ip_address": "198.51.100.24",
                     *       "agent_version": "5.19.0",
                     *       "country": "Sweden",
                     *       "city": "Uppsala",
                     *       "browser_name": "Firefox",
                     *       "browser_user_agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
                     *       "issues_displayed": [
                     *         {
                     *           "title": "Unencrypted SSH key",
                     *           "blocking_status": "will_block",
                     *           "id": "7719",
                     *           "link": "https://muster.example.com/issues/7719"
                     *         }
                     *       ],
                     *       "events": [
                     *         {
                     *           "timestamp": "2026-11-20T07:58:12.004Z",
                     *           "event_type": "sign_in_attempt",
                     *           "event_description": "Tomas Okafor began to sign in."
                     *         },
                     *         {
                     *           "timestamp": "2026-11-20T07:58:41.207Z",
                     *           "event_type": "sign_in_success",
                     *           "event_description": "Tomas Okafor signed in."
                     *         }
                     *       ],
                     *       "okta_app_instance_id": "",
                     *       "okta_app_name": ""
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuthLog"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listAdminUsers: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `first_name` | string | `:` `~` | several values |
                 *     | `last_name` | string | `:` `~` | several values |
                 *     | `email` | string | `:` `~` | several values |
                 *     | `created_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "12",
                     *           "first_name": "Maya",
                     *           "last_name": "Lindqvist",
                     *           "email": "maya@acme.example",
                     *           "created_at": "2025-02-03T08:30:00.000Z",
                     *           "access": "limited",
                     *           "restrictions": [
                     *             "manage_keys"
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AdminUserPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getAdminUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the admin user. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Someone who administers the organization. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "first_name": "Maya",
                     *       "last_name": "Lindqvist",
                     *       "email": "maya@acme.example",
                     *       "created_at": "2025-02-03T08:30:00.000Z",
                     *       "access": "limited",
                     *       "restrictions": [
                     *         "manage_keys"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AdminUser"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listWebhookEndpoints: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `url` | string | `:` `~` | several values |
                 *     | `description` | string | `:` `~` | several values, `null` |
                 *     | `events` | string list | `:` `~` | several values |
                 *     | `enabled` | boolean | `:` |  |
                 *     | `created_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "12",
                     *           "url": "https://hooks.acme.example/muster",
                     *           "description": "Opens tickets",
                     *           "events": [
                     *             "device_trust.status_changed",
                     *             "issues.new"
                     *           ],
                     *           "enabled": true,
                     *           "disabled_at": null,
                     *           "disabled_reason": null,
                     *           "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *           "custom_headers": {
                     *             "x-tenant": "********"
                     *           },
                     *           "previous_secret_until": null,
                     *           "created_at": "2026-11-20T09:14:03.120Z",
                     *           "updated_at": "2026-11-20T09:14:03.120Z",
                     *           "health": {
                     *             "state": "ok",
                     *             "failing_since": null,
                     *             "last_error": null,
                     *             "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpointPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly createWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://hooks.acme.example/muster",
                 *       "events": [
                 *         "device_trust.status_changed",
                 *         "issues.new"
                 *       ],
                 *       "description": "Opens tickets",
                 *       "custom_headers": {
                 *         "x-tenant": "acme"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookEndpointCreation"];
            };
        };
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateWebhookEndpointWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookEndpointChange"];
            };
        };
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; the answer has no body. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookEndpointChange"];
            };
        };
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly revealWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly rollWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookSecretRoll"];
            };
        };
        readonly responses: {
            /** @description An address that is told of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "12",
                     *       "url": "https://hooks.acme.example/muster",
                     *       "description": "Opens tickets",
                     *       "events": [
                     *         "device_trust.status_changed",
                     *         "issues.new"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "identifier": "0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21",
                     *       "custom_headers": {
                     *         "x-tenant": "********"
                     *       },
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `message_id` | identifier | `:` | several values |
                 *     | `event` | enum: auth_logs.success, auth_logs.failure, device_trust.status_changed, admin_users.created, audit_log.recorded, devices.created, devices.registered, devices.registration_suspended, devices.identity_conflict, devices.updated, devices.destroyed, issues.new, issues.resolved, requests.issue_exemption, requests.registration, webhook.test | `:` `~` | several values |
                 *     | `state` | enum: pending, delivered, failed | `:` `~` | several values |
                 *     | `device_id` | identifier | `:` | several values |
                 *     | `queued_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 *     | `last_status` | identifier | `:` | several values, `null` |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "90412",
                     *           "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *           "event": "device_trust.status_changed",
                     *           "device": {
                     *             "identifier": "1042",
                     *             "link": "https://muster.example.com/devices/1042"
                     *           },
                     *           "state": "delivered",
                     *           "attempts_count": 2,
                     *           "probes_count": 0,
                     *           "last_status": 200,
                     *           "last_error": null,
                     *           "queued_at": "2026-11-20T09:14:03.120Z",
                     *           "settled_at": "2026-11-20T09:14:35.204Z",
                     *           "next_attempt_at": null,
                     *           "resent_from": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
                /** @description Identifier of the delivery. */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An entry of the delivery log with all that was sent and answered. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "90412",
                     *       "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *       "event": "device_trust.status_changed",
                     *       "device": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "state": "delivered",
                     *       "attempts_count": 2,
                     *       "probes_count": 0,
                     *       "last_status": 200,
                     *       "last_error": null,
                     *       "queued_at": "2026-11-20T09:14:03.120Z",
                     *       "settled_at": "2026-11-20T09:14:35.204Z",
                     *       "next_attempt_at": null,
                     *       "resent_from": null,
                     *       "request_body": "{\"event\":\"device_trust.status_changed\",\"id\":\"01KAF5J8T3Q4V9R0C6M1B7X2ZD\",\"timestamp\":\"2026-11-20T09:14:03Z\",\"data\":{\"device_id\":1042,\"device_name\":\"Ana's MacBook\",\"device_status\":\"blocked\",\"device_url\":\"https://muster.example.com/devices/1042\"}}",
                     *       "attempts": [
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:35.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630075"
                     *           },
                     *           "status": 200,
                     *           "error": null,
                     *           "response": "ok",
                     *           "timings": {
                     *             "dns_ms": 0,
                     *             "connect_ms": 0,
                     *             "tls_ms": 0,
                     *             "first_byte_ms": 61.2,
                     *             "total_ms": 64.1
                     *           }
                     *         },
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:03.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630043"
                     *           },
                     *           "status": 503,
                     *           "error": "The receiver answered 503",
                     *           "response": "upstream is starting",
                     *           "timings": {
                     *             "dns_ms": 4.1,
                     *             "connect_ms": 18.6,
                     *             "tls_ms": 22.9,
                     *             "first_byte_ms": 70.3,
                     *             "total_ms": 71
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookDeliveryDetails"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly testWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "message": "Does this arrive?"
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookTestRequest"];
            };
        };
        readonly responses: {
            /** @description An entry of the delivery log with all that was sent and answered. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "90412",
                     *       "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *       "event": "device_trust.status_changed",
                     *       "device": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "state": "delivered",
                     *       "attempts_count": 2,
                     *       "probes_count": 0,
                     *       "last_status": 200,
                     *       "last_error": null,
                     *       "queued_at": "2026-11-20T09:14:03.120Z",
                     *       "settled_at": "2026-11-20T09:14:35.204Z",
                     *       "next_attempt_at": null,
                     *       "resent_from": null,
                     *       "request_body": "{\"event\":\"device_trust.status_changed\",\"id\":\"01KAF5J8T3Q4V9R0C6M1B7X2ZD\",\"timestamp\":\"2026-11-20T09:14:03Z\",\"data\":{\"device_id\":1042,\"device_name\":\"Ana's MacBook\",\"device_status\":\"blocked\",\"device_url\":\"https://muster.example.com/devices/1042\"}}",
                     *       "attempts": [
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:35.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630075"
                     *           },
                     *           "status": 200,
                     *           "error": null,
                     *           "response": "ok",
                     *           "timings": {
                     *             "dns_ms": 0,
                     *             "connect_ms": 0,
                     *             "tls_ms": 0,
                     *             "first_byte_ms": 61.2,
                     *             "total_ms": 64.1
                     *           }
                     *         },
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:03.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630043"
                     *           },
                     *           "status": 503,
                     *           "error": "The receiver answered 503",
                     *           "response": "upstream is starting",
                     *           "timings": {
                     *             "dns_ms": 4.1,
                     *             "connect_ms": 18.6,
                     *             "tls_ms": 22.9,
                     *             "first_byte_ms": 70.3,
                     *             "total_ms": 71
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookDeliveryDetails"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly resendWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
                /** @description Identifier of the delivery. */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An entry of the delivery log with all that was sent and answered. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "90412",
                     *       "message_id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *       "event": "device_trust.status_changed",
                     *       "device": {
                     *         "identifier": "1042",
                     *         "link": "https://muster.example.com/devices/1042"
                     *       },
                     *       "state": "delivered",
                     *       "attempts_count": 2,
                     *       "probes_count": 0,
                     *       "last_status": 200,
                     *       "last_error": null,
                     *       "queued_at": "2026-11-20T09:14:03.120Z",
                     *       "settled_at": "2026-11-20T09:14:35.204Z",
                     *       "next_attempt_at": null,
                     *       "resent_from": null,
                     *       "request_body": "{\"event\":\"device_trust.status_changed\",\"id\":\"01KAF5J8T3Q4V9R0C6M1B7X2ZD\",\"timestamp\":\"2026-11-20T09:14:03Z\",\"data\":{\"device_id\":1042,\"device_name\":\"Ana's MacBook\",\"device_status\":\"blocked\",\"device_url\":\"https://muster.example.com/devices/1042\"}}",
                     *       "attempts": [
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:35.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630075"
                     *           },
                     *           "status": 200,
                     *           "error": null,
                     *           "response": "ok",
                     *           "timings": {
                     *             "dns_ms": 0,
                     *             "connect_ms": 0,
                     *             "tls_ms": 0,
                     *             "first_byte_ms": 61.2,
                     *             "total_ms": 64.1
                     *           }
                     *         },
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:03.140Z",
                     *           "request_headers": {
                     *             "content-type": "application/json",
                     *             "user-agent": "Muster",
                     *             "webhook-id": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                     *             "webhook-timestamp": "1763630043"
                     *           },
                     *           "status": 503,
                     *           "error": "The receiver answered 503",
                     *           "response": "upstream is starting",
                     *           "timings": {
                     *             "dns_ms": 4.1,
                     *             "connect_ms": 18.6,
                     *             "tls_ms": 22.9,
                     *             "first_byte_ms": 70.3,
                     *             "total_ms": 71
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookDeliveryDetails"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly resendWebhookDeliveries: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the endpoint. */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T09:00:00Z"
                 *     }
                 */
                readonly "application/json": components["schemas"]["WebhookResendRequest"];
            };
        };
        readonly responses: {
            /** @description What a call for repeats did. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resent_count": 218,
                     *       "to": "2026-11-20T12:00:00.000Z",
                     *       "next_after_id": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookResend"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What a receiver needs to know about this transmitter (SSF 1.0 §7.1). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "spec_version": "1_0",
                     *       "issuer": "https://muster.example.com",
                     *       "jwks_uri": "https://muster.example.com/ssf/jwks.json",
                     *       "delivery_methods_supported": [
                     *         "urn:ietf:rfc:8935",
                     *         "urn:ietf:rfc:8936"
                     *       ],
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "configuration_endpoint": "https://muster.example.com/ssf_streams",
                     *       "status_endpoint": "https://muster.example.com/ssf_streams/status",
                     *       "verification_endpoint": "https://muster.example.com/ssf_streams/verify",
                     *       "authorization_schemes": [
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6750"
                     *         },
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6749"
                     *         }
                     *       ],
                     *       "default_subjects": "ALL"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfConfiguration"];
                };
            };
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Public keys that verify event tokens (RFC 7517). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "kid": "0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *           "use": "sig",
                     *           "alg": "RS256",
                     *           "n": "3F6…",
                     *           "e": "AQAB"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfConfigurationOfOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the organization. */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What a receiver needs to know about this transmitter (SSF 1.0 §7.1). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "spec_version": "1_0",
                     *       "issuer": "https://muster.example.com",
                     *       "jwks_uri": "https://muster.example.com/ssf/jwks.json",
                     *       "delivery_methods_supported": [
                     *         "urn:ietf:rfc:8935",
                     *         "urn:ietf:rfc:8936"
                     *       ],
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "configuration_endpoint": "https://muster.example.com/ssf_streams",
                     *       "status_endpoint": "https://muster.example.com/ssf_streams/status",
                     *       "verification_endpoint": "https://muster.example.com/ssf_streams/verify",
                     *       "authorization_schemes": [
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6750"
                     *         },
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6749"
                     *         }
                     *       ],
                     *       "default_subjects": "ALL"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfConfiguration"];
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfConfigurationBelowOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the organization. */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What a receiver needs to know about this transmitter (SSF 1.0 §7.1). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "spec_version": "1_0",
                     *       "issuer": "https://muster.example.com",
                     *       "jwks_uri": "https://muster.example.com/ssf/jwks.json",
                     *       "delivery_methods_supported": [
                     *         "urn:ietf:rfc:8935",
                     *         "urn:ietf:rfc:8936"
                     *       ],
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "configuration_endpoint": "https://muster.example.com/ssf_streams",
                     *       "status_endpoint": "https://muster.example.com/ssf_streams/status",
                     *       "verification_endpoint": "https://muster.example.com/ssf_streams/verify",
                     *       "authorization_schemes": [
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6750"
                     *         },
                     *         {
                     *           "spec_urn": "urn:ietf:rfc:6749"
                     *         }
                     *       ],
                     *       "default_subjects": "ALL"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfConfiguration"];
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfKeysOfOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the organization. */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Public keys that verify event tokens (RFC 7517). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "kid": "0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *           "use": "sig",
                     *           "alg": "RS256",
                     *           "n": "3F6…",
                     *           "e": "AQAB"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listSsfStreams: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly stream_id?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "31",
                     *           "iss": "https://muster.example.com",
                     *           "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *           "name": "Okta",
                     *           "aud": "https://acme.okta.example",
                     *           "delivery_type": "push",
                     *           "spec_version": "v1_0",
                     *           "enabled": true,
                     *           "events_supported": [
                     *             "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *             "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *           ],
                     *           "events_requested": [
                     *             "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *             "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *           ],
                     *           "events_delivered": [
                     *             "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *             "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *           ],
                     *           "created_at": "2026-11-20T09:14:03.120Z",
                     *           "updated_at": "2026-11-20T09:14:03.120Z",
                     *           "delivery": {
                     *             "method": "urn:ietf:rfc:8935",
                     *             "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *           },
                     *           "min_verification_interval": 1,
                     *           "device_subject_format": "iss_sub",
                     *           "health": {
                     *             "state": "ok",
                     *             "failing_since": null,
                     *             "last_error": null,
                     *             "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamPage"] | (components["schemas"]["SsfStream"] | readonly components["schemas"]["SsfStream"][]);
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly configureSsfStreamWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                 *       "name": "Okta",
                 *       "aud": "https://acme.okta.example",
                 *       "delivery": {
                 *         "method": "urn:ietf:rfc:8935",
                 *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                 *       },
                 *       "events_requested": [
                 *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamCollectionChange"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly createSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Okta",
                 *       "aud": "https://acme.okta.example",
                 *       "delivery": {
                 *         "method": "urn:ietf:rfc:8935",
                 *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                 *       },
                 *       "events_requested": [
                 *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamCreation"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly removeSsfStream: {
        readonly parameters: {
            readonly query: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly stream_id: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; the answer has no body. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly configureSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                 *       "name": "Okta",
                 *       "aud": "https://acme.okta.example",
                 *       "delivery": {
                 *         "method": "urn:ietf:rfc:8935",
                 *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                 *       },
                 *       "events_requested": [
                 *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamCollectionChange"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStreamStatus: {
        readonly parameters: {
            readonly query: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly stream_id: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Whether a stream is on. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "status": "enabled"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamStatus"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly setSsfStreamStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                 *       "status": "paused",
                 *       "reason": "Maintenance until noon"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamStatusChange"];
            };
        };
        readonly responses: {
            /** @description Whether a stream is on. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "status": "enabled"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamStatus"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly verifySsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                 *       "state": "VGhpcyBpcyBhbiBleGFtcGxl"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfVerification"];
            };
        };
        readonly responses: {
            /** @description Done; the answer has no body. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateSsfStreamWithPut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Okta production"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamChange"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly deleteSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; the answer has no body. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly updateSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Okta production"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfStreamChange"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly rotateSsfPollToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "mode": "overlap",
                 *       "overlap_seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfPollTokenRotation"];
            };
        };
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly testSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ana@acme.example"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfTestRequest"];
            };
        };
        readonly responses: {
            /** @description What came of a test. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "response_code": "202",
                     *       "ssf_stream_event_id": 4711
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfTest"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStreamIssuer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An addition: what the receiver of a stream is set up with. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "present": {
                     *         "iss": "https://muster.example.com",
                     *         "jwks_uri": "https://muster.example.com/ssf/jwks.json",
                     *         "aud": "https://acme.okta.example"
                     *       },
                     *       "next": {
                     *         "iss": "https://acme.example.com",
                     *         "jwks_uri": "https://acme.example.com/ssf/jwks.json",
                     *         "aud": "https://acme.okta.example"
                     *       },
                     *       "former": null,
                     *       "keys": [
                     *         {
                     *           "kty": "RSA",
                     *           "kid": "0b8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *           "use": "sig",
                     *           "alg": "RS256",
                     *           "n": "3F6…",
                     *           "e": "AQAB"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamIssuer"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly moveSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A stream of compliance signals to one receiver. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "31",
                     *       "iss": "https://muster.example.com",
                     *       "stream_id": "6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2",
                     *       "name": "Okta",
                     *       "aud": "https://acme.okta.example",
                     *       "delivery_type": "push",
                     *       "spec_version": "v1_0",
                     *       "enabled": true,
                     *       "events_supported": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_requested": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "events_delivered": [
                     *         "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *         "https://schemas.openid.net/secevent/ssf/event-type/verification"
                     *       ],
                     *       "created_at": "2026-11-20T09:14:03.120Z",
                     *       "updated_at": "2026-11-20T09:14:03.120Z",
                     *       "delivery": {
                     *         "method": "urn:ietf:rfc:8935",
                     *         "endpoint_url": "https://acme.okta.example/security/api/v1/security-events"
                     *       },
                     *       "min_verification_interval": 1,
                     *       "device_subject_format": "iss_sub",
                     *       "health": {
                     *         "state": "ok",
                     *         "failing_since": null,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-11-20T09:15:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStream"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly pollSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The `stream_id` of the stream, or its `id`. */
                readonly stream_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Event tokens that have not been acknowledged (RFC 8936 §2.4.1). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sets": {
                     *         "5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11": "eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9…"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfPollAnswer"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly pollOrAcknowledgeSsfStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description The `stream_id` of the stream, or its `id`. */
                readonly stream_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "ack": [
                 *         "5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11"
                 *       ],
                 *       "maxEvents": 100,
                 *       "returnImmediately": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfPoll"];
            };
        };
        readonly responses: {
            /** @description Event tokens that have not been acknowledged (RFC 8936 §2.4.1). */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sets": {
                     *         "5f0d3c2a-4b57-4d3e-9a55-0c0f7c7e5a11": "eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9…"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfPollAnswer"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly listSsfStreamEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before; blank for the first page. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many records a page holds at most. */
                readonly per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.
                 *
                 *     | Field | Kind | Operators | Also |
                 *     |---|---|---|---|
                 *     | `id` | identifier | `:` | several values |
                 *     | `jti` | identifier | `:` | several values |
                 *     | `state` | enum: pending, delivered, acknowledged, rejected, expired | `:` `~` | several values |
                 *     | `kind` | enum: compliance_change, verification, stream_updated, test | `:` `~` | several values |
                 *     | `device_id` | identifier | `:` | several values, `null` |
                 *     | `queued_at` | datetime | `:` `<` `<=` `>` `>=` |  |
                 */
                readonly query?: string;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of a list. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "48211",
                     *           "sequence": 731,
                     *           "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11",
                     *           "kind": "compliance_change",
                     *           "event_type": "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *           "subject": {
                     *             "device": {
                     *               "identifier": "1042",
                     *               "link": "https://muster.example.com/devices/1042"
                     *             },
                     *             "user_email": "ana@acme.example"
                     *           },
                     *           "txn": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *           "state": "delivered",
                     *           "previous_status": "compliant",
                     *           "current_status": "not-compliant",
                     *           "occurred_at": "2026-11-20T09:14:03.120Z",
                     *           "queued_at": "2026-11-20T09:14:03.120Z",
                     *           "issued_at": "2026-11-20T09:14:03.120Z",
                     *           "settled_at": "2026-11-20T09:14:05.204Z",
                     *           "next_attempt_at": null,
                     *           "attempts_count": 2,
                     *           "attempts": [
                     *             {
                     *               "attempted_at": "2026-11-20T09:14:05.166Z",
                     *               "duration_ms": 38,
                     *               "status": 202,
                     *               "error": null
                     *             },
                     *             {
                     *               "attempted_at": "2026-11-20T09:14:03.140Z",
                     *               "duration_ms": 21,
                     *               "status": 503,
                     *               "error": "The receiver answered 503"
                     *             }
                     *           ],
                     *           "error": null,
                     *           "claims": {
                     *             "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11"
                     *           },
                     *           "token": "eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiI1ZjBiMGQwZSJ9.c2lnbmF0dXJl"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamEventPage"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStreamEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
                /** @description Identifier of the event. */
                readonly eventId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An entry of the ledger of a stream: one event for its receiver, and what became of it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "48211",
                     *       "sequence": 731,
                     *       "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11",
                     *       "kind": "compliance_change",
                     *       "event_type": "https://schemas.openid.net/secevent/caep/event-type/device-compliance-change",
                     *       "subject": {
                     *         "device": {
                     *           "identifier": "1042",
                     *           "link": "https://muster.example.com/devices/1042"
                     *         },
                     *         "user_email": "ana@acme.example"
                     *       },
                     *       "txn": "01KAF5J8T3Q4V9R0C6M1B7X2ZD",
                     *       "state": "delivered",
                     *       "previous_status": "compliant",
                     *       "current_status": "not-compliant",
                     *       "occurred_at": "2026-11-20T09:14:03.120Z",
                     *       "queued_at": "2026-11-20T09:14:03.120Z",
                     *       "issued_at": "2026-11-20T09:14:03.120Z",
                     *       "settled_at": "2026-11-20T09:14:05.204Z",
                     *       "next_attempt_at": null,
                     *       "attempts_count": 2,
                     *       "attempts": [
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:05.166Z",
                     *           "duration_ms": 38,
                     *           "status": 202,
                     *           "error": null
                     *         },
                     *         {
                     *           "attempted_at": "2026-11-20T09:14:03.140Z",
                     *           "duration_ms": 21,
                     *           "status": 503,
                     *           "error": "The receiver answered 503"
                     *         }
                     *       ],
                     *       "error": null,
                     *       "claims": {
                     *         "jti": "5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11"
                     *       },
                     *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiI1ZjBiMGQwZSJ9.c2lnbmF0dXJl"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfStreamEvent"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly replaySsfStreamEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T09:00:00Z",
                 *       "to": "2026-11-20T12:00:00Z",
                 *       "states": [
                 *         "rejected",
                 *         "expired"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["SsfReplayRequest"];
            };
        };
        readonly responses: {
            /** @description What a replay did. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed_count": 218,
                     *       "next_after_id": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfReplay"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStreamSnapshot: {
        readonly parameters: {
            readonly query?: {
                /** @description Where the page begins, from `next_cursor` of the page before. */
                readonly cursor?: string;
                /** @description How many devices a page holds at most: 100 unless given, and 1,000 where all pages are one answer. */
                readonly per_page?: number;
            };
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Where devices stand, at an exact place in a stream. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sequence": 731,
                     *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl",
                     *       "devices": [
                     *         {
                     *           "device_id": "1042",
                     *           "user_email": "ana@acme.example",
                     *           "current_status": "not-compliant"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next": "",
                     *         "current_cursor": "",
                     *         "next_cursor": "",
                     *         "count": 1
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfSnapshot"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Unprocessable"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
    readonly getSsfStreamCheckpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The version of the API; 2026-04-07 when it is left out. Send it, so that answers stay the same.
                 * @example 2026-04-07
                 */
                readonly "X-Service-Api-Version"?: components["parameters"]["ApiVersion"];
            };
            readonly path: {
                /** @description Identifier of the stream, or its `stream_id`. */
                readonly streamId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A proof of which devices are not compliant, at an exact place in a stream. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "Ratelimit-Remaining": components["headers"]["Ratelimit-Remaining"];
                    readonly "Ratelimit-Reset": components["headers"]["Ratelimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sequence": 731,
                     *       "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *       "blocked_devices_count": 0,
                     *       "settled": true,
                     *       "at": "2026-11-20T09:14:03.120Z",
                     *       "token": "eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SsfCheckpoint"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["OtherError"];
        };
    };
}
