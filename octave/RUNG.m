% SPDX-License-Identifier: BSD-3-Clause
classdef RUNG < handle
    % RUNG  Ordinal regression with few labels, for Octave and MATLAB, with the call signatures of ORCA's methods.
    %
    %   r = RUNG('method', 'kdlor')                 any method of `rung methods`; default: auto
    %   info = r.fitpredict(train, test)            train and test: structs with patterns and targets
    %   info = r.fitpredict(train, test, param)     param: struct of parameters, with underscores for dashes
    %   [projected, predicted] = r.fit(train, param)
    %   [projected, predicted] = r.predict(test.patterns)
    %
    % targets count from 1; NaN or 0 marks an unlabelled row. info has the fields projectedTrain, predictedTrain,
    % projectedTest, predictedTest, trainTime, testTime and model. The model is a struct that can be saved: its field
    % bytes is the model file of the rung command, which does the work and must be on the path (or set 'command').
    properties
        description = 'Ordinal regression with few labels (rung)';
        parameters = struct();
        method = 'auto';
        scale = 'standard';
        command = 'rung';
        model = [];
    end

    methods
        function obj = RUNG(varargin)
            obj.parseArgs(varargin{:});
        end

        function info = fitpredict(obj, train, test, param)
            if nargin > 3
                obj.setParam(param);
            end
            started = tic;
            [info.projectedTrain, info.predictedTrain] = obj.fit(train, obj.parameters);
            info.trainTime = toc(started);
            started = tic;
            [info.projectedTest, info.predictedTest] = obj.predict(test.patterns);
            info.testTime = toc(started);
            info.model = obj.model;
        end

        function [projected, predicted] = fit(obj, train, param)
            if nargin < 2 || ~all(isfield(train, {'patterns', 'targets'}))
                error('RUNG:data', 'train must be a struct with the fields patterns and targets');
            end
            if size(train.patterns, 1) ~= numel(train.targets)
                error('RUNG:data', '%d targets for %d patterns', numel(train.targets), size(train.patterns, 1));
            end
            if nargin < 3 || isempty(param)
                param = obj.parameters;
            end
            [projected, predicted] = obj.privfit(train, param);
        end

        function [projected, predicted] = predict(obj, patterns)
            if isempty(obj.model)
                error('RUNG:model', 'the object has no fitted model');
            end
            if ~isa(patterns, 'double')
                error('RUNG:data', 'the patterns must be a matrix of doubles');
            end
            [projected, predicted] = obj.privpredict(patterns);
        end

        function [projected, predicted] = privfit(obj, train, param)
            folder = RUNG.folder();
            tidy = onCleanup(@() RUNG.remove(folder));
            RUNG.write(fullfile(folder, 'train.csv'), train.patterns, train.targets(:));
            words = {'fit', fullfile(folder, 'train.csv'), '-m', obj.method, '--scale', obj.scale, ...
                '--label', 'label', '-o', fullfile(folder, 'model.rung')};
            names = fieldnames(param);
            for i = 1:numel(names)
                words = [words, {'-p', [strrep(names{i}, '_', '-'), '=', RUNG.text(param.(names{i}))]}]; %#ok<AGROW>
            end
            obj.run(words);
            obj.model = struct('algorithm', 'RUNG', 'method', obj.method, 'parameters', param, ...
                'bytes', RUNG.read(fullfile(folder, 'model.rung')));
            [projected, predicted] = obj.privpredict(train.patterns);
        end

        function [projected, predicted] = privpredict(obj, patterns)
            folder = RUNG.folder();
            tidy = onCleanup(@() RUNG.remove(folder));
            file = fopen(fullfile(folder, 'model.rung'), 'w');
            fwrite(file, obj.model.bytes, 'uint8');
            fclose(file);
            RUNG.write(fullfile(folder, 'new.csv'), patterns, []);
            answer = obj.run({'predict', fullfile(folder, 'model.rung'), fullfile(folder, 'new.csv')});
            ends = find(answer == sprintf('\n'), 1);
            names = strsplit(strtrim(answer(1:ends)), ',');
            % sscanf reads to the last bit, textscan does not
            cells = sscanf(strrep(answer(ends + 1:end), sprintf('\n'), ','), '%f,', [numel(names), Inf])';
            predicted = cells(:, strcmp(names, 'label')); % not the rank: a class may have no rows
            projected = cells(:, strncmp(names, 'score', 5));
        end

        function parseArgs(obj, varargin)
            while numel(varargin) == 1 && iscell(varargin{1})
                varargin = varargin{1};
            end
            if mod(numel(varargin), 2)
                error('RUNG:argument', 'expected pairs of a name and a value');
            end
            for i = 1:2:numel(varargin)
                if ~any(strcmp(varargin{i}, {'method', 'scale', 'command', 'parameters'}))
                    error('RUNG:argument', '''%s'' is not one of method, scale, command, parameters', varargin{i});
                end
                obj.(varargin{i}) = varargin{i + 1};
            end
        end

        function setParam(obj, param)
            if isempty(param)
                return
            end
            if ~isstruct(param)
                error('RUNG:argument', 'the parameters must be a struct');
            end
            names = fieldnames(param);
            for i = 1:numel(names)
                obj.parameters.(names{i}) = param.(names{i});
            end
        end

        function names = getParameterNames(obj)
            names = sort(fieldnames(obj.parameters));
        end

        function model = getModel(obj)
            model = obj.model;
        end

        function setModel(obj, model)
            obj.model = model;
        end

        function answer = run(obj, words)
            quoted = cellfun(@(word) ['''', strrep(word, '''', '''\'''''), ''''], words, 'UniformOutput', false);
            errors = tempname();
            tidy = onCleanup(@() delete(errors));
            [status, answer] = system([obj.command, ' ', strjoin(quoted, ' '), ' 2>''', errors, '''']);
            if status ~= 0
                error('RUNG:command', '%s', strtrim(fileread(errors)));
            end
            lines = strsplit(fileread(errors), sprintf('\n'));
            for i = find(strncmp(lines, 'rung: warning: ', 15))
                warning('RUNG:warning', '%s', lines{i}(16:end));
            end
        end
    end

    methods (Static)
        function name = folder()
            name = tempname();
            mkdir(name);
        end

        function remove(name)
            delete(fullfile(name, '*'));
            rmdir(name);
        end

        function bytes = read(name)
            file = fopen(name, 'r');
            bytes = fread(file, Inf, 'uint8=>uint8')';
            fclose(file);
        end

        % Numbers that read back to the last bit; missing cells and labels are empty.
        function write(name, patterns, targets)
            file = fopen(name, 'w');
            header = arrayfun(@(j) sprintf('x%d', j), 1:size(patterns, 2), 'UniformOutput', false);
            targets(targets == 0) = NaN;
            table = [patterns, targets];
            if ~isempty(targets)
                header{end + 1} = 'label';
            end
            fprintf(file, '%s\n', strjoin(header, ','));
            for i = 1:size(table, 1)
                line = strrep(sprintf('%.17g,', table(i, :)), 'NaN', '');
                fprintf(file, '%s\n', line(1:end - 1));
            end
            fclose(file);
        end

        function text = text(value)
            if ischar(value)
                text = value;
            elseif islogical(value)
                words = {'no', 'yes'};
                text = words{value + 1};
            else
                text = strjoin(arrayfun(@(x) sprintf('%.17g', x), value, 'UniformOutput', false), ',');
            end
        end
    end
end
