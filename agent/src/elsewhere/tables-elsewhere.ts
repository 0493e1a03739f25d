import { columns, type Table } from '../tables/table.ts'

/** Tables that Linux does not have, with the columns that checks read, so that the SQL of a check compiles. */
const declared: Record<'macOS' | 'Windows', Record<string, string>> = {
  macOS: {
    alf: 'allow_signed_enabled:integer firewall_unload:integer global_state:integer logging_enabled:integer logging_option:integer stealth_enabled:integer version',
    apps: 'name path bundle_executable bundle_identifier bundle_name bundle_short_version bundle_version bundle_package_type environment element compiler development_region display_name info_string minimum_system_version category applescript_enabled copyright last_opened_time:double',
    gatekeeper: 'assessments_enabled:integer dev_id_enabled:integer version opaque_version',
    managed_policies: 'domain uuid name value username manual:integer',
    nvram: 'name type value',
    plist: 'key subkey value path',
    screenlock: 'enabled:integer grace_period:integer',
    sharing_preferences:
      'screen_sharing:integer file_sharing:integer printer_sharing:integer remote_login:integer remote_management:integer remote_apple_events:integer internet_sharing:integer bluetooth_sharing:integer disc_sharing:integer content_caching:integer',
    sip_config: 'config_flag enabled:integer enabled_nvram:integer',
    time_machine_destinations:
      'alias destination_id consistency_scan_date:integer root_volume_uuid bytes_available:integer bytes_used:integer encryption',
  },
  Windows: {
    bitlocker_info:
      'device_id drive_letter persistent_volume_id conversion_status:integer protection_status:integer encryption_method version:integer percentage_encrypted:integer lock_status:integer',
    programs:
      'name version install_location install_source language publisher uninstall_string install_date identifying_number package_family_name upgrade_code',
    registry: 'key path name type data mtime:bigint',
    security_profile_info:
      'minimum_password_age:integer maximum_password_age:integer minimum_password_length:integer password_complexity:integer password_history_size:integer lockout_bad_count:integer logon_to_change_password:integer force_logoff_when_expire:integer new_administrator_name new_guest_name clear_text_password:integer lsa_anonymous_name_lookup:integer enable_admin_account:integer enable_guest_account:integer audit_system_events:integer audit_logon_events:integer audit_object_access:integer audit_privilege_use:integer audit_policy_change:integer audit_account_manage:integer audit_process_tracking:integer audit_ds_access:integer audit_account_logon:integer',
    tpm_info:
      'activated:integer enabled:integer owned:integer manufacturer_version manufacturer_id:integer manufacturer_name product_name physical_presence_version spec_version',
    windows_optional_features: 'name caption state:integer statename',
    windows_security_center:
      'firewall autoupdate antivirus antispyware internet_settings windows_security_center_service user_account_control',
    windows_security_products: 'type name state state_timestamp remediation_path signatures_up_to_date:integer',
    windows_update_history:
      'client_app_id date:bigint description hresult:bigint operation result_code server_selection service_id support_url title update_id update_revision:bigint',
  },
}

export const tablesElsewhere: Table[] = Object.entries(declared).flatMap(([platform, tables]) =>
  Object.entries(tables).map(([name, list]) => ({
    name,
    columns: columns(list),
    notCollected: () => `a table of ${platform}`,
    collect: () => [],
  })),
)
