/* handlers.h: the functions of the route table (private to api/). Each is described by its row. */
#ifndef IA_SERVER_API_HANDLERS_H
#define IA_SERVER_API_HANDLERS_H

#include "server/api/call.h"
#include "server/verbs/verbs.h"

ia_api_fn ia_api_daemon, ia_api_daemon_stop;
ia_api_fn ia_api_devices, ia_api_device, ia_api_frame, ia_api_commands;
ia_api_fn ia_api_runs, ia_api_run, ia_api_run_tree, ia_api_run_steps, ia_api_run_messages,
    ia_api_run_create;
ia_api_fn ia_api_run_events;
ia_api_fn ia_api_run_cancel, ia_api_run_say, ia_api_run_resume, ia_api_report;
ia_api_fn ia_api_schedules, ia_api_schedule, ia_api_schedule_create, ia_api_schedule_patch;
ia_api_fn ia_api_schedule_delete, ia_api_schedule_pause, ia_api_schedule_resume;
ia_api_fn ia_api_schedule_run_now;
ia_api_fn ia_api_sweep_create, ia_api_sweeps, ia_api_sweep, ia_api_sweep_goal;
ia_api_fn ia_api_sweep_cancel;
ia_api_fn ia_api_recordings, ia_api_recording, ia_api_recording_accept;
ia_api_fn ia_api_recording_reject;
ia_api_fn ia_api_questions, ia_api_question_approve, ia_api_question_deny;
ia_api_fn ia_api_agents, ia_api_agent, ia_api_agent_put, ia_api_agent_delete;
ia_api_fn ia_api_agent_forget;
ia_api_fn ia_api_models;
ia_api_fn ia_api_config, ia_api_config_put, ia_api_config_delete;
ia_api_fn ia_api_key, ia_api_key_put, ia_api_key_delete;
ia_api_fn ia_api_stats, ia_api_skills;
ia_api_fn ia_api_secrets, ia_api_secret_put, ia_api_secret_delete;
ia_api_fn ia_api_blob, ia_api_events;
ia_api_fn ia_api_fleet, ia_api_fleet_drain;
ia_api_fn ia_api_metrics;
ia_api_fn ia_api_doctor, ia_api_codes, ia_api_login, ia_api_openapi;
/* The verb that the path names: "sim-create" and "sim create" are one. NULL: there is none. */
const struct ia_verb *ia_api_verb(const struct ia_api_call *call);

#endif
