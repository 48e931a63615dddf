"""The guide's table of faults: each line has tests that show it; each test of a fault, and each code, has a line."""

from __future__ import annotations

import pathlib
import re
from typing import Dict, List

import pytest

from queuecompat.codes.loading import ROWS

TESTS = pathlib.Path(__file__).parents[1]
PAGE = TESTS.parent / "migration_guide" / "without_a_graph.md"

# The beginning of a line of the table, and the tests that show it.
SHOWN: Dict[str, List[str]] = {
    "`load` raises an exception": [
        "test_threads.py::test_a_failure_comes_after_the_batches_before_it_with_its_item_and_its_traceback",
        "test_threads.py::test_an_item_with_scalars_of_numpy_is_named_as_plain_numbers",
        "test_threads.py::test_an_item_that_is_left_out_moves_up_what_comes_after_it",
        "test_processes.py::test_items_that_fail_are_left_out_and_everything_moves_up",
        "test_arguments.py::test_an_item_that_cannot_be_fetched_is_one_that_fails",
        "test_ends.py::test_asking_again_after_a_failure_raises_the_same_failure",
        "test_processes.py::test_an_exception_has_the_workers_traceback_and_the_item",
        "dataset/test_as_dataset.py::test_an_error_of_load_reaches_the_loop_over_the_dataset",
        "images/test_formats.py::test_a_transform_that_returns_something_else_is_an_error",
    ],
    "more items fail": [
        "test_arguments.py::test_more_different_failing_items_than_max_errors_are_an_error",
        "test_processes.py::test_items_that_end_their_workers_count_among_those_that_may_fail",
    ],
    "no item of an epoch": [
        "test_empty_epochs.py::test_items_that_all_fail_are_an_error_after_one_epoch",
        "test_empty_epochs.py::test_generators_that_yield_nothing_are_an_error_after_one_epoch",
        "test_empty_epochs.py::test_a_wrong_root_is_an_error_also_where_images_that_fail_are_skipped",
        "test_empty_epochs.py::test_a_later_epoch_without_an_example_is_one_too_after_the_batches_before_it",
        "images/test_image_list_loader.py::test_images_none_of_which_can_be_read_have_no_mean",
    ],
    "`load` returns None": [
        "test_arguments.py::test_a_load_that_returns_none_is_reported_with_its_line",
    ],
    "examples have different shapes": [
        "test_arguments.py::test_examples_that_do_not_fit_together_are_both_named",
        "test_arguments.py::test_an_example_that_does_not_fit_is_no_item_to_skip",
        "test_first_items.py::test_the_first_item_is_the_model_however_fast_the_others_are",
    ],
    "the source, or a sampler": [
        "test_arguments.py::test_a_failing_source_is_reported_after_the_items_before_the_failure",
        "test_misuse.py::test_a_generator_that_raises_is_reported_after_the_examples_it_yielded",
        "test_order.py::test_a_failing_sampler_is_reported_as_a_failure_of_the_sampler",
    ],
    "a sampler returns": [
        "test_order.py::test_an_index_out_of_range_is_an_error_after_the_batches_before_it",
        "test_order.py::test_an_index_out_of_range_is_reported_with_the_line_of_the_loader",
    ],
    "an array is too large": [
        "test_batches.py::test_what_cannot_be_padded_is_a_failure_of_its_item",
        "test_batches.py::test_an_item_that_is_too_large_can_be_skipped",
        "test_batches.py::test_a_function_for_buckets_that_fails_is_a_failure_of_its_item",
        "test_batches.py::test_a_bucket_is_selected_by_a_number",
        "test_batches.py::test_a_shape_for_what_is_several_arrays_is_refused",
        "test_misuse.py::test_a_number_that_is_none_is_in_no_bucket",
    ],
    "`collate` or": [
        "test_batches.py::test_a_failing_batch_function_is_reported_after_the_batches_before_it",
        "test_batches.py::test_arrays_of_different_dtypes_are_not_padded_into_one",
    ],
    "`output=` names": [
        "test_batches.py::test_a_missing_output_library_is_an_error_when_the_loader_is_made",
        "test_batches.py::test_an_array_that_a_library_does_not_know_is_named",
    ],
    "`worker_init` raises": [
        "test_worker_init.py::test_a_worker_that_cannot_be_prepared_ends_the_iteration",
        "test_worker_init.py::test_one_worker_of_several_that_cannot_be_prepared_ends_a_pass_of_one_item",
        "test_worker_init.py::test_a_worker_that_is_never_prepared_is_an_error_after_the_timeout",
    ],
    "`on_epoch_end` raises": [
        "test_epoch_ends.py::test_what_the_function_raises_ends_the_loop",
    ],
    "the source is an iterator": [
        "test_arguments.py::test_an_iterator_has_one_epoch",
        "dataset/test_as_dataset.py::test_an_iterator_source_is_refused_by_as_dataset",
    ],
    "`load` is an async": [
        "test_misuse.py::test_an_async_function_is_refused",
    ],
    "`load` returns a masked": [
        "test_misuse.py::test_a_masked_array_is_refused_since_its_mask_would_be_lost",
        "test_batches.py::test_the_mask_of_an_array_to_pad_is_not_dropped",
    ],
    "`load` raises StopIteration": [
        "test_misuse.py::test_any_exception_of_load_fails_its_item_and_does_not_end_the_data",
    ],
    "the list that is the source grows": [
        "test_misuse.py::test_a_source_that_grows_is_whole_in_the_next_epoch_but_not_under_weights",
    ],
    "the list that is the source shrinks": [
        "test_misuse.py::test_a_source_that_shrinks_within_an_epoch_is_an_error_of_the_items_that_are_gone",
    ],
    "`len` or": [
        "test_arguments.py::test_a_length_that_is_not_known_is_an_error_and_no_hindrance_for_list",
        "dataset/test_as_dataset.py::test_a_source_without_an_example_has_no_dataset",
        "test_batches.py::test_a_bucketed_loader_has_no_length",
        "test_order.py::test_a_sampler_without_a_length_leaves_the_loader_without_one",
    ],
    "`as_dataset` is called": [
        "dataset/test_as_dataset.py::test_a_value_that_is_not_a_tensor_is_refused",
    ],
    "the source, a sampler or": [
        "test_empty_epochs.py::test_a_source_without_items_is_an_error_that_says_what_is_empty",
        "test_empty_epochs.py::test_a_sampler_or_a_shard_without_items_is_one_too",
        "test_empty_epochs.py::test_a_later_epoch_without_items_is_an_error_after_the_batches_before_it",
    ],
    "a worker process crashes": [
        "test_processes.py::test_whatever_a_worker_does_is_an_error_that_says_so",
        "test_processes.py::test_an_item_that_ends_its_worker_is_left_out_and_counted",
        "test_processes.py::test_a_killed_worker_is_reported_within_a_second",
    ],
    "a process is killed between": [
        "test_processes.py::test_a_block_goes_on_after_its_workers_were_killed_between_two_passes",
    ],
    "a result cannot": [
        "test_processes.py::test_a_result_that_cannot_be_pickled_is_a_failure_of_its_item",
    ],
    "`load`, or the source, cannot": [
        "test_processes.py::test_an_unpicklable_load_is_refused_with_advice",
    ],
    "a process is killed while": [
        "test_processes.py::test_a_worker_that_is_killed_while_it_starts_is_an_error_and_not_a_hang",
        "test_processes.py::test_a_function_of_a_program_that_is_no_file_is_not_found",
    ],
    "the program has no": [
        "test_processes.py::test_a_program_without_a_main_guard_is_advised_to_add_one",
    ],
    "processes are requested": [
        "test_processes.py::test_a_daemonic_process_gets_an_error_because_it_may_not_start_processes",
    ],
    "`load` or the source never": [
        "test_ends.py::test_a_consumer_waits_no_longer_than_the_time_limit",
        "test_ends.py::test_a_long_wait_is_warned_of_once_with_the_items_being_loaded",
        "test_ends.py::test_a_source_that_does_not_return_is_named_in_a_long_wait",
        "test_processes.py::test_a_stopped_worker_is_an_error_after_the_time_limit",
    ],
    "the loop is left": [
        "test_ends.py::test_a_load_that_never_returns_is_abandoned_with_a_warning_that_names_its_item",
        "test_ends.py::test_a_load_that_does_not_return_costs_its_time_limit_once",
        "test_processes.py::test_a_worker_that_would_not_return_is_ended_with_the_loop",
    ],
    "Ctrl-C": [
        "test_ends.py::test_an_interrupt_reaches_the_loop_and_workers_print_nothing",
        "test_ends.py::test_an_interrupt_reaches_a_waiting_consumer",
        "test_interrupts.py::test_an_interrupt_may_come_at_any_line",
        "test_ends.py::test_leaving_the_loop_ends_the_workers_at_once",
        "test_ends.py::test_an_exception_in_the_loop_ends_the_workers",
        "test_ends.py::test_the_end_of_the_program_is_silent",
        "test_misuse.py::test_an_object_that_closes_its_loader_when_the_program_ends_says_nothing",
    ],
    "the program is killed": [
        "test_processes.py::test_a_killed_program_leaves_no_worker_and_no_memory",
    ],
    "the program forks": [
        "test_ends.py::test_a_forked_process_gets_an_error_because_it_has_no_workers",
        "test_ends.py::test_every_method_refuses_a_fork_and_a_fork_ends_silently",
        "images/test_image_list_loader.py::test_a_fork_is_refused_also_for_other_sizes_of_batches_and_for_samples",
    ],
    "the loader is closed": [
        "test_misuse.py::test_a_loader_that_is_closed_from_within_says_so",
        "test_ends.py::test_closing_wakes_a_consumer_that_waits",
    ],
    "`load` iterates over": ["test_ends.py::test_a_loader_is_not_iterated_by_its_own_load"],
    "the loader, or": [
        "test_threads.py::test_a_closed_loader_says_so",
        "test_ends.py::test_an_iteration_that_another_one_of_its_loader_has_ended_says_so",
        "test_ends.py::test_a_second_iteration_ends_the_first",
        "test_ends.py::test_the_end_of_the_block_ends_the_workers_of_an_iterator_that_is_kept",
        "test_order.py::test_a_pass_begins_with_the_epoch_that_was_set",
    ],
    "an item of a `Mem": [
        "test_memory_cache.py::test_a_failure_is_not_cached",
        "test_memory_cache.py::test_items_without_a_hash_need_a_key",
    ],
    "a `MemoryCache` is": [
        "test_memory_cache.py::test_a_full_cache_keeps_what_it_has_and_the_rest_is_loaded_each_time",
    ],
    "a batch of `pin_memory=True`": [
        "test_pinned.py::test_memory_that_a_copy_to_a_gpu_still_reads_is_not_written",
        "test_pinned.py::test_copies_that_wait_for_a_gpu_read_their_own_batch",
    ],
    "`pin_memory=True`": [
        "test_pinned.py::test_without_a_gpu_it_is_a_warning_and_ordinary_memory",
        "test_pinned.py::test_with_pytorch_itself_batches_are_pinned_or_a_warning_says_why_they_are_not",
    ],
    "a timeline": [
        "test_stages.py::test_without_matplotlib_the_numbers_are_there_and_a_picture_says_what_to_install",
    ],
    "`/dev/shm` is full": [
        "test_processes.py::test_too_little_shared_memory_is_an_error_that_says_how_much",
    ],
    "the program keeps": [
        "test_processes.py::test_batches_are_kept_by_the_hundred_with_few_descriptors",
        "test_processes.py::test_shared_memory_is_bounded_whatever_the_consumer_keeps",
    ],
    "the list that is the source changes": [
        "test_processes.py::test_each_epoch_sees_the_source_as_it_is_then_as_threads_do",
        "test_processes.py::test_a_source_that_changes_within_a_pass_is_seen_at_the_next_epoch",
    ],
    "a loader is copied": [
        "test_state.py::test_a_copy_goes_on_from_the_same_position",
        "test_state.py::test_a_loader_is_sent_to_a_process",
        "images/test_image_list_loader.py::test_a_copy_goes_on_from_the_same_position",
    ],
    "a state belongs": [
        "test_state.py::test_a_state_of_another_loader_is_refused",
        "test_state.py::test_a_state_beyond_the_end_of_an_iterable_is_an_error_when_the_end_comes",
        "test_batches.py::test_a_state_with_other_buckets_is_refused",
        "test_order.py::test_a_state_of_a_different_order_is_refused",
        "test_order.py::test_a_state_of_other_weights_is_refused",
        "test_state.py::test_a_state_that_is_not_a_dictionary_is_refused",
        "test_state.py::test_a_state_that_skips_more_than_its_first_item_has_is_an_error",
        "test_state.py::test_a_state_that_skips_more_than_an_item_has_is_reported_with_the_line_of_the_loader",
        "images/test_image_list_loader.py::test_a_state_of_something_else_is_refused",
        "images/test_image_list_loader.py::test_a_value_that_is_not_a_state_is_refused",
        "images/test_image_list_loader.py::test_a_state_with_a_wrong_field_is_refused_and_changes_nothing",
    ],
    "`load_state_dict` is": [
        "test_processes.py::test_a_state_that_is_loaded_in_a_block_is_resumed",
    ],
    "an argument contradicts": [
        "test_arguments.py::test_a_set_is_refused_because_its_order_changes_from_run_to_run",
        "test_arguments.py::test_an_argument_out_of_range_is_refused",
        "images/test_image_list_loader.py::test_text_for_a_flag_is_refused",
        "test_whole_numbers.py::test_a_loader_takes_numbers_of_numpy_and_converts_them",
        "test_hash_seeds.py::test_what_would_depend_on_the_hash_seed_is_refused",
        "test_arguments.py::test_a_source_without_ordered_items_is_refused",
        "test_arguments.py::test_what_is_indexed_by_labels_is_refused",
        "test_arguments.py::test_a_load_that_is_not_a_function_is_refused",
        "test_batches.py::test_arguments_about_batches_that_make_no_sense_are_refused",
        "test_batches.py::test_what_is_not_a_function_is_refused",
        "test_delays.py::test_what_contradicts_the_rule_is_refused",
        "test_epoch_ends.py::test_what_is_not_a_function_is_refused",
        "test_order.py::test_balanced_weights_draw_all_classes_equally_often",
        "test_order.py::test_arguments_of_order_that_make_no_sense_are_refused",
        "test_order.py::test_an_epoch_that_no_pass_begins_with_is_refused",
        "test_pinned.py::test_pinned_memory_is_pytorchs",
        "test_worker_init.py::test_what_is_not_a_function_is_refused",
    ],
    "a list of images": [
        "images/test_image_list.py::test_a_bad_line_is_named_with_its_file_and_number",
        "images/test_image_list.py::test_the_error_for_a_line_with_the_name_of_a_class_says_how_names_are_read",
        "images/test_image_list.py::test_a_list_without_images_is_an_error",
        "test_empty_epochs.py::test_a_list_without_images_is_refused_when_the_loader_is_made",
        "images/test_image_list.py::test_what_is_no_pair_is_named_by_its_number",
        "images/test_formats.py::test_the_order_of_classes_can_be_given",
        "images/test_formats.py::test_lists_and_pairs_may_have_words_for_labels",
        "images/test_formats.py::test_a_folder_without_images_is_refused",
        "images/test_formats.py::test_a_folder_whose_images_have_no_folders_of_classes_says_what_to_make",
        "images/test_formats.py::test_an_image_passed_as_a_list_is_recognised",
        "images/test_image_list.py::test_pairs_with_labels_of_two_lengths_are_an_error",
        "images/test_image_list.py::test_a_whole_number_that_float32_has_not_is_refused_beside_a_fraction",
        "images/test_image_list.py::test_a_large_whole_number_is_refused_in_pairs_and_next_to_a_fraction_in_another_list",
        "images/test_image_list.py::test_a_label_without_a_number_is_named",
    ],
    "an image is missing": [
        "images/test_decoders.py::test_every_decoder_refuses_what_is_broken",
        "images/test_decoders.py::test_a_file_that_is_not_there_is_named",
        "images/test_decoders.py::test_without_a_decoder_the_error_says_what_to_install",
        "images/test_image_list_loader.py::test_an_image_that_cannot_be_used_reaches_the_loop_with_its_file_and_line",
        "images/test_image_list_loader.py::test_images_that_cannot_be_used_are_left_out_on_request_and_listed",
        "images/test_decoders.py::test_every_decoder_returns_the_defined_pixels",
        "images/test_decoders.py::test_what_has_no_one_way_to_8_bits_is_refused",
        "images/test_decoders.py::test_the_error_comes_whole_out_of_another_process",
        "images/test_formats.py::test_an_image_smaller_than_the_crop_can_have_random_parts",
        "images/test_image_list_loader.py::test_a_small_image_is_padded_on_request",
        "images/test_means.py::test_an_image_of_another_size_than_the_mean_image_is_named",
        "images/test_means.py::test_images_of_two_sizes_have_no_mean_image",
    ],
    "an image has more": [
        "images/test_decoders.py::test_a_file_that_claims_a_huge_picture_is_refused_before_memory_is_taken",
        "images/test_decoders.py::test_the_bound_on_pixels_is_the_same_for_every_decoder",
        "images/test_decoders.py::test_pillows_own_limit_is_reported_as_such",
        "images/test_formats.py::test_the_bound_on_pixels_holds_for_what_resizing_makes",
    ],
    "a record is damaged": [
        "../records/test_records.py::test_wrong_data_are_found_when_they_are_read",
        "../records/test_records.py::test_a_damaged_record_can_be_skipped",
        "../records/test_records.py::test_a_file_that_is_cut_off_is_refused",
        "../records/test_records.py::test_what_is_not_an_example_is_an_error",
        "../records/test_records.py::test_an_example_that_is_not_of_bytes_is_refused",
        "../records/test_index.py::test_a_head_that_is_damaged_is_named_with_its_position",
        "../records/test_index.py::test_the_command_goes_on_after_a_file_that_is_damaged_or_missing",
        "../records/test_records.py::test_a_wrong_length_is_found_when_the_file_is_opened",
        "../records/test_records.py::test_a_file_that_becomes_shorter_is_reported",
        "../records/test_records.py::test_a_compressed_file_is_called_so",
        "../records/test_records.py::test_a_truncated_example_is_an_error",
        "../records/test_tar.py::test_two_files_of_one_ending_are_an_error",
        "../records/test_tar.py::test_a_compressed_tar_file_is_called_so",
        "../records/test_tar.py::test_what_is_not_a_whole_tar_file_is_an_error",
        "../records/test_tar.py::test_a_tar_file_that_becomes_shorter_is_reported",
        "../records/test_tar.py::test_a_file_that_was_cut_between_two_members_is_refused",
        "../records/test_tar.py::test_a_damaged_header_is_not_the_end_of_the_file",
    ],
    "an argument of `Image": [
        "images/test_image_list_loader.py::test_an_argument_that_makes_no_sense_is_refused",
        "images/test_formats.py::test_balanced_weights_come_from_the_labels",
        "images/test_formats.py::test_arguments_that_make_no_sense_are_refused",
        "images/test_formats.py::test_crops_of_one_image_can_be_kept_apart_by_rule",
        "images/test_formats.py::test_the_cache_of_images_says_what_it_holds_and_keeps_to_its_budget",
        "images/test_image_list_loader.py::test_no_mean_is_the_same_as_none",
        "images/test_image_list_loader.py::test_what_needs_a_batch_size_says_so",
        "images/test_image_list_loader.py::test_a_sample_larger_than_the_list_is_refused",
        "images/test_means.py::test_what_is_no_mean_is_refused",
        "images/test_means.py::test_a_mean_image_smaller_than_the_crop_is_refused",
        "images/test_means.py::test_a_file_that_is_no_mean_is_refused",
        "images/test_image_list_loader.py::test_a_mean_file_of_a_different_kind_is_refused",
        "images/test_image_list_loader.py::test_a_mean_file_without_a_folder_is_refused_before_anything_is_measured",
        "test_whole_numbers.py::test_a_sample_has_a_whole_number_of_batches",
    ],
}


def lines() -> List[str]:
    """What stands in the first column, and the rest of the line."""
    table = PAGE.read_text(encoding="utf-8").partition("## What happens when something goes wrong")[2]
    rows = [line for line in table.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [row[2:] for row in rows[1:]]


def test_every_line_says_which_tests_show_it() -> None:
    for line in lines():
        assert len([fault for fault in SHOWN if line.startswith(fault)]) == 1, line
    for fault in SHOWN:
        assert len([line for line in lines() if line.startswith(fault)]) == 1, fault


@pytest.mark.parametrize("fault", SHOWN)
def test_the_tests_that_show_it_are_there(fault: str) -> None:
    assert SHOWN[fault]
    for name in SHOWN[fault]:
        file, _, test = name.partition("::")
        text = (pathlib.Path(__file__).parent / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {test}\(", text, re.MULTILINE), name


def test_every_test_of_a_fault_belongs_to_a_line() -> None:
    """A test that names a code of the loader shows a fault; the table has a line for it."""
    shown = {name for names in SHOWN.values() for name in names}
    without = []
    for folder, prefix in ((TESTS / "loader", ""), (TESTS / "records", "../records/")):
        for path in sorted(folder.rglob("test_*.py")):
            file = prefix + path.relative_to(folder).as_posix()
            functions = re.split(r"^(?=def |@|class )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            for function in functions if path.name != "test_faults.py" else []:
                test = re.match(r"def (test_\w+)", function)
                if test and re.search(r"QC6\d\d", function) and f"{file}::{test.group(1)}" not in shown:
                    without.append(f"{file}::{test.group(1)}")
    assert not without


def test_every_code_of_the_loader_has_a_line() -> None:
    named = set()
    for line in lines():
        named |= {int(code) for code in re.findall(r"\[QC(\d+)\]", line)}
        for first, last in re.findall(r"\[QC(\d+)\]\S+ to \[QC(\d+)\]", line):
            named |= set(range(int(first), int(last)))
    assert {f"QC{code}" for code in named} == {row.code for row in ROWS}
